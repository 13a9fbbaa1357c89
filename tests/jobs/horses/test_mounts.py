"""What goes through the pipes between a worker and its horse, and what is known of a horse's end."""

import os
import signal
from pathlib import Path

import pytest

from tests.waiting import eventually


def test_an_order_larger_than_any_pipe_arrives_whole(answer):
    before = answer("pid")

    assert answer("size", text="ä" * 5_000_000) == 5_000_000
    assert answer("pid") == before


def test_a_large_order_for_a_horse_that_was_killed_goes_to_another(answer):
    os.kill(answer("pid"), signal.SIGKILL)

    assert answer("size", text="x" * 5_000_000) == 5_000_000


@pytest.mark.parametrize(
    ("how", "arguments", "status"),
    [("exit_at_once", {"status": 3}, 3), ("kill_itself", {"signum": 9}, -9), ("abort", {}, -signal.SIGABRT)],
)
def test_a_horse_that_ends_in_its_job_has_an_ending_and_a_successor(run, answer, how, arguments, status):
    before = answer("pid")

    end = run(how, **arguments)

    assert end.report is None
    assert os.waitstatus_to_exitcode(end.ending.status) == status
    assert end.ending.peak_memory > 1 << 20
    assert answer("pid") != before


def test_what_a_killed_job_started_ends_with_it(run, tmp_path):
    path = tmp_path / "child"

    assert run("leave_child_and_die", path=str(path)).report is None

    child = Path("/proc") / path.read_text()
    eventually(lambda: not (child / "exe").exists())
