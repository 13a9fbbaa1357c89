"""Workers as real processes, for tests."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
QUEUES = ("reports", "mail", "billing")
StartWorker = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start_worker() -> Iterator[StartWorker]:
    """Start workers with a visibility timeout of 2 s, each with a process tree of its own; all end with the test."""
    workers: list[subprocess.Popen[bytes]] = []

    def start(*options: str, **environment: str) -> "subprocess.Popen[bytes]":
        worker = subprocess.Popen(
            [sys.executable, "manage.py", "rqworker", *QUEUES, *options],
            cwd=ROOT,
            env=os.environ | {"MANDOR_VISIBILITY_TIMEOUT": "2"} | environment,
            start_new_session=True,
        )
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        kill_tree(worker)


def kill_tree(worker: "subprocess.Popen[bytes]") -> None:
    """Kill a worker and its horse at once, as the machine's end would."""
    children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
    horses = children.read_text().split() if children.exists() else []
    for pid in [worker.pid, *map(int, horses)]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    worker.wait()
