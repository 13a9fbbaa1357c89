"""The horse that a worker keeps may die or freeze at any moment: what it had not begun is given to another."""

import os
import signal
import time
from pathlib import Path

import pytest

from jobs.rides import BEGIN_GRACE_S
from tests.waiting import eventually


def has_ended(pid: int) -> bool:
    """Return whether a child of this process is dead, and nobody has asked how it ended."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_an_idle_horse_that_was_killed_costs_the_next_job_nothing(answer):
    idle = answer("pid")

    os.kill(idle, signal.SIGKILL)

    assert answer("pid") != idle
    assert answer("pid") != idle


def test_an_idle_horse_that_is_known_to_be_dead_is_not_asked(answer):
    idle = answer("pid")

    os.kill(idle, signal.SIGKILL)
    eventually(lambda: has_ended(idle))

    assert answer("pid") != idle


def test_a_frozen_idle_horse_is_replaced_within_seconds(answer):
    idle = answer("pid")
    os.kill(idle, signal.SIGSTOP)
    asked = time.monotonic()

    assert answer("pid") != idle

    assert time.monotonic() - asked < 4 * BEGIN_GRACE_S
    assert not exists(idle)


@pytest.mark.parametrize("kill", [True, False])
def test_a_worker_that_closes_leaves_no_horse(worker, answer, kill):
    horse = answer("pid")

    ending = worker.stable.replace(kill=kill)

    assert os.WIFSIGNALED(ending.status) is kill
    assert not exists(horse)
