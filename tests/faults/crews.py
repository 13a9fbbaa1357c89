"""A crew of workers that is kept at its number while they are killed, frozen and told to stop."""

import os
import random
import signal
import time
from contextlib import suppress
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from tests.faults.hands import QUEUES, Place, start
from tests.faults.marks import MarkReader
from tests.waiting import eventually


class Crew:
    """Some workers of all queues, what they have marked, and who of them was struck."""

    def __init__(self, place: Place, size: int, *, seed: int = 7) -> None:
        self.place = place
        self.marks = MarkReader(place.marks)
        self.struck: set[int] = set()
        self.chance = random.Random(seed)  # noqa: S311
        self.workers = [self.hire() for _ in range(size)]
        self._at_work: set[int] = set()

    def hire(self) -> ForkServerProcess:
        """Start one more worker. Each serves the queues in an order of its own."""
        return start(self.place, "rqworker", *self.chance.sample(QUEUES, len(QUEUES)))

    def replace(self, worker: ForkServerProcess) -> None:
        """Hire another in the place of one that has ended or will end."""
        self.workers[self.workers.index(worker)] = self.hire()

    def pick(self) -> ForkServerProcess:
        """Return a worker that has begun a job, at an instant that knows nothing of what it does."""

        def at_work() -> list[ForkServerProcess]:
            self._at_work |= {mark.worker for mark in self.marks.read_on()}
            return [worker for worker in self.workers if worker.pid in self._at_work]

        worker = self.chance.choice(eventually(at_work, within=60))
        time.sleep(self.chance.uniform(0, 0.05))
        return worker

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
        """Wait until a worker that was told to stop has, well unless it was told before it was ready."""
        worker.join(30)
        self._at_work |= {mark.worker for mark in self.marks.read_on()}
        assert worker.exitcode == 0 or (worker.exitcode == -signal.SIGTERM and worker.pid not in self._at_work)

    def end(self) -> None:
        """Kill whoever is left."""
        for worker in self.workers:
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
