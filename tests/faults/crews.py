"""A crew of workers that is kept at its number while they are killed, frozen and told to stop."""

import os
import random
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from tests.faults.hands import QUEUES, Place, start
from tests.faults.marks import MarkReader
from tests.faults.workload import Work
from tests.waiting import eventually


class Crew:
    """Some workers of all queues, their work, what they have marked, and who was struck, or robbed of which lock.

    Each reaches the server by one of `urls`.
    """

    def __init__(self, place: Place, size: int, *, urls: Sequence[str], work: Work, seed: int = 7) -> None:
        self.place, self.urls, self.work = place, urls, work
        self.marks = MarkReader(place.marks)
        self.struck: set[int] = set()
        self.robbed: set[str] = set()
        self.frozen: dict[int, float] = {}
        self.chance = random.Random(seed)  # noqa: S311
        self.workers = [self.hire() for _ in range(size)]
        self._at_work: set[int] = set()

    def hire(self) -> ForkServerProcess:
        """Start one more worker. Each serves the queues in an order of its own."""
        place = replace(self.place, url=self.chance.choice(self.urls))
        return start(place, "rqworker", *self.chance.sample(QUEUES, len(QUEUES)))

    def replace(self, worker: ForkServerProcess) -> None:
        """Hire another in the place of one that has ended or will end."""
        self.workers[self.workers.index(worker)] = self.hire()

    def pick(self) -> ForkServerProcess:
        """Return a worker that has begun a job, at an instant that knows nothing of what it does."""
        worker = self.chance.choice(eventually(self.at_work, within=60))
        time.sleep(self.chance.uniform(0, 0.05))
        return worker

    def at_work(self) -> list[ForkServerProcess]:
        """Return the workers that have begun a job since they were hired."""
        self._at_work |= {mark.worker for mark in self.marks.read_on()}
        return [worker for worker in self.workers if worker.pid in self._at_work]

    def tend(self) -> None:
        """Do what is due: thaw who was frozen for long enough, and replace who could not start without a server."""
        for pid, until in list(self.frozen.items()):
            if time.monotonic() >= until:
                self.thaw(pid)
        for worker in self.workers:
            if not worker.is_alive():
                assert not self._was_ready(worker), f"{worker.pid} ended by itself with {worker.exitcode}"
                self.replace(worker)

    def freeze(self, pids: Sequence[int], seconds: float) -> None:
        """Stop processes in their tracks, until they are thawed."""
        self.struck |= set(pids)
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
            self.frozen[pid] = time.monotonic() + seconds

    def thaw(self, pid: int) -> None:
        """Let a process go on where it was."""
        if self.frozen.pop(pid, None):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def thaw_all(self) -> None:
        for pid in list(self.frozen):
            self.thaw(pid)

    def strike(self, worker: ForkServerProcess, *, parent: bool, horses: bool) -> None:
        """Kill a worker, or its horses, or both at once."""
        found = horses_of(worker)
        pids = ([pid_of(worker)] if parent else []) + (found if horses else [])
        self.struck |= {*pids, *found}
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if parent:
            worker.join()
            self.replace(worker)

    def dismiss(self) -> None:
        """Tell all to stop, and wait until they have."""
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            self.see_out(worker)

    def see_out(self, worker: ForkServerProcess) -> None:
        """Wait until a worker that was told to stop has, well unless it was not ready: told so, or without a server."""
        worker.join(30)
        expected = {0} if self._was_ready(worker) else {0, 1, -signal.SIGTERM}
        assert worker.exitcode in expected, f"{worker.pid} ended with {worker.exitcode}"

    def _was_ready(self, worker: ForkServerProcess) -> bool:
        log = self.place.folder / f"{worker.pid}.log"
        return log.exists() and "worker started" in log.read_text()

    def end(self) -> None:
        """Kill whoever is left."""
        for worker in self.workers:
            kill_tree(worker)


def kill_tree(worker: ForkServerProcess) -> None:
    """Kill a worker and its horses, unless it has ended: its number may be another's by now."""
    if worker.is_alive():
        for pid in (*horses_of(worker), pid_of(worker)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    worker.join()


def pid_of(worker: ForkServerProcess) -> int:
    assert worker.pid is not None
    return worker.pid


def horses_of(worker: ForkServerProcess) -> list[int]:
    """Return the children of a worker that is alive."""
    children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
    with suppress(OSError):
        return [int(pid) for pid in children.read_text().split()]
    return []
