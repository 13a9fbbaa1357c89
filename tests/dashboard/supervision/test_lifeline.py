import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dashboard.supervision.folders import lock_folder
from tests.waiting import eventually

SUPERVISES = """
import subprocess, sys, time
from pathlib import Path
from dashboard.supervision.folders import lock_folder
from dashboard.supervision.lifeline import Lifeline

lifeline = Lifeline(lock_folder(Path(sys.argv[1])))
for _ in range(2):
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    lifeline.add(child.pid)
    print(child.pid, flush=True)
if sys.argv[2:] == ["forget"]:
    lifeline.remove(child.pid)
print("ready", flush=True)
time.sleep(60)
"""
Supervise = Callable[..., tuple["subprocess.Popen[str]", list[int]]]


@pytest.fixture
def supervise(tmp_path: Path) -> Iterator[Supervise]:
    """Start a supervisor of two children in `tmp_path`; returns it and their process ids."""
    pids: list[int] = []
    supervisors: list[subprocess.Popen[str]] = []

    def start(*options: str) -> tuple["subprocess.Popen[str]", list[int]]:
        supervisor = subprocess.Popen(
            [sys.executable, "-c", SUPERVISES, str(tmp_path), *options], stdout=subprocess.PIPE, text=True
        )
        supervisors.append(supervisor)
        pids.extend(int(supervisor.stdout.readline()) for _ in range(2))
        assert supervisor.stdout.readline() == "ready\n"
        return supervisor, pids

    yield start
    for supervisor in supervisors:
        supervisor.kill()
        supervisor.wait()
        supervisor.stdout.close()
    for pid in filter(alive, pids):
        os.kill(pid, signal.SIGKILL)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_children_of_a_killed_supervisor_end_and_its_folder_is_free_again(
    supervise: Supervise, tmp_path: Path
) -> None:
    supervisor, children = supervise()

    supervisor.kill()
    supervisor.wait()
    lock_folder(tmp_path).close()

    eventually(lambda: not any(alive(child) for child in children))


def test_a_child_that_has_ended_before_is_let_alone(supervise: Supervise, tmp_path: Path) -> None:
    supervisor, (known, forgotten) = supervise("forget")

    supervisor.kill()
    supervisor.wait()
    lock_folder(tmp_path).close()

    eventually(lambda: not alive(known))
    assert alive(forgotten)
