"""Workers as processes, for the benchmarks: started, waited for, ended."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
EVERY_S = 0.01
PATIENCE_S = 600.0
QUEUES = ("reports", "mail", "billing", "images", "imports")
MANDOR = {
    "MANDOR_LOG_LEVEL": "INFO",
    "MANDOR_ALLOW": "benchmarks.errands.*",
    "MANDOR_QUEUES": ",".join(QUEUES),
}
RQWORKER = [sys.executable, "manage.py", "rqworker"]


@contextmanager
def running(*commands: list[str], **environment: str) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Run processes in the project's folder while the block goes on; what they write is dropped."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])}
    started = [
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=env | MANDOR | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for command in commands
    ]
    try:
        yield started
    finally:
        for process in started:
            _end(process)


@contextmanager
def mandors(count: int, *queues: str, **environment: str) -> Iterator[None]:
    """Run Mandor's workers, and begin when all of them are at work."""
    from jobs.connection import store

    store().delete("rq:workers")
    with running(*[[*RQWORKER, *queues] for _ in range(count)], **environment) as started:
        wait_until(lambda: store().scard("rq:workers") == count or any(worker.poll() for worker in started))
        assert not any(worker.poll() for worker in started), "a worker ended at its start"
        yield


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until something is so. Fails after ten minutes."""
    give_up = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < give_up, f"{condition} did not become true"
        time.sleep(EVERY_S)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
