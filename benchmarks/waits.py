"""How long jobs wait for what is free: for one resource that many want, and for a worker that is idle."""

import random
import time
from pathlib import Path

from benchmarks.costs import count_commands
from benchmarks.workers import QUEUES, mandors, wait_until

WORKERS, TURNS, TURN_S = 8, 200, 0.02
SETTLE_S, IDLE_S = 3.0, 10.0


def measure_parking(folder: Path, *, jobs_per_horse: int, turns: int) -> tuple[float, bool, bool]:
    """Return the share of the time in which nobody had the resource that all wanted; whether each job ran once;
    whether they ran in order of arrival.
    """
    from benchmarks import errands

    path = folder / f"turns-{jobs_per_horse}"
    with mandors(WORKERS, "reports", MANDOR_JOBS_PER_HORSE=str(jobs_per_horse)):
        for number in range(turns):
            errands.take_turns.enqueue(number=number, seconds=TURN_S, path=str(path))
        wait_until(lambda: len(errands.read_notes(path)) >= turns)
    notes = errands.read_notes(path)
    numbers = [number for number, _, _ in notes]
    busy = sum(ended - began for _, began, ended in notes)
    whole = notes[-1][2] - notes[0][1]
    return 1 - busy / whole, sorted(numbers) == list(range(turns)), numbers == sorted(numbers)


def measure_idling(folder: Path, *, jobs: int, idle_s: float) -> dict[str, float]:
    """Return what idle workers send per second, and how late one starts a job, in ms: p50 and p95."""
    with mandors(1, *QUEUES):
        first = _sent_per_second(idle_s)
        late = {
            "through Mandor": _lateness(folder / "mandor", jobs, through_mandor=True),
            "by a plain RQ client": _lateness(folder / "plain", jobs, through_mandor=False),
        }
    with mandors(2, *QUEUES):
        both = _sent_per_second(idle_s)
    found = {"sent per second, leading the upkeep": first, "sent per second, any other": both - first}
    for how, times in late.items():
        found[f"{how}, p50 ms"] = times[len(times) // 2] * 1000
        found[f"{how}, p95 ms"] = times[int(len(times) * 0.95)] * 1000
    return found


def _sent_per_second(idle_s: float) -> float:
    time.sleep(SETTLE_S)
    before, _ = count_commands()
    time.sleep(idle_s)
    after, _ = count_commands()
    return (after - before) / idle_s


def _lateness(path: Path, jobs: int, *, through_mandor: bool) -> list[float]:
    from rq import Queue
    from rq.serializers import JSONSerializer

    from benchmarks import errands
    from jobs.connection import store

    stock, asked = Queue("reports", connection=store(), serializer=JSONSerializer), []
    for number in range(jobs):
        time.sleep(random.uniform(0.8, 1.6))
        asked.append(time.time())
        if through_mandor:
            errands.note.enqueue(number=number, path=str(path))
        else:
            stock.enqueue("benchmarks.errands.note", number=number, path=str(path))
        wait_until(lambda number=number: len(errands.read_notes(path)) > number)
    return sorted(began - asked[number] for number, began, _ in errands.read_notes(path))
