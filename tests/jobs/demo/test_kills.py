"""Killing a worker on purpose: a busy one that `up` started here, and nobody else."""

import signal
import subprocess
from collections.abc import Callable, Iterator

import pytest
from rq import Worker

from jobs import keys
from jobs.connection import store
from jobs.demo.kills import kill_busy_worker
from tests.factories import claimant, enqueue, start

Sleeper = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def sleeper() -> Iterator[Sleeper]:
    """Start a process that does nothing but sleep."""
    sleepers: list[subprocess.Popen[bytes]] = []

    def start_sleeper(*, leads_session: bool = True) -> "subprocess.Popen[bytes]":
        sleepers.append(subprocess.Popen(["sleep", "60"], start_new_session=leads_session))
        return sleepers[-1]

    yield start_sleeper
    for one in sleepers:
        one.kill()
        one.wait()


def register(pid: int, *, busy: bool = True, **fields: str) -> None:
    by = claimant("mail")
    Worker(["mail"], name=by.name, connection=store()).register_birth()
    store().hset(keys.worker(by.name), mapping={"pid": pid, **fields})
    if busy:
        enqueue()
        start(by=by)


def test_a_busy_worker_is_killed_and_an_idle_one_is_not(sleeper: Sleeper):
    idle, busy = sleeper(), sleeper()
    register(idle.pid, busy=False)
    register(busy.pid)

    assert kill_busy_worker()

    assert busy.wait(10) == -signal.SIGKILL
    assert idle.poll() is None


def test_a_worker_of_another_machine_is_spared(sleeper: Sleeper):
    elsewhere = sleeper()
    register(elsewhere.pid, hostname="elsewhere")

    assert not kill_busy_worker()


def test_a_worker_that_somebody_started_by_hand_is_spared(sleeper: Sleeper):
    by_hand = sleeper(leads_session=False)
    register(by_hand.pid)

    assert not kill_busy_worker()


def test_a_worker_that_is_gone_is_no_error(sleeper: Sleeper):
    gone = sleeper()
    gone.kill()
    gone.wait()
    register(gone.pid)

    assert not kill_busy_worker()
