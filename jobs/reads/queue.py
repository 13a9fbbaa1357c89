"""One queue's page: its row, and the workers that listen."""

from dataclasses import dataclass

from jobs import keys
from jobs.reads import worker_rows
from jobs.reads.opening import Opening
from jobs.reads.queues import QueueQuestion, QueueRow
from jobs.reads.trips import Trip
from jobs.reads.worker_beats import BeatsQuestion
from jobs.reads.worker_rows import WorkerRow

MOST_WORKERS = 50


@dataclass(frozen=True, slots=True)
class QueueDetail:
    """A queue with its figures, and the first fifty workers that name it among theirs, silent ones last."""

    row: QueueRow
    workers: tuple[WorkerRow, ...]
    more_workers: int


def find_queue(name: str) -> QueueDetail | None:
    """Return the queue `name`, in three round trips; None where neither the settings nor RQ know of it.

    Raises a member of `jobs.connection.StoreAway`.
    """
    start, opening, workers = Trip(), Opening(), BeatsQuestion()
    opening.ask(start)
    suspended = start.ask("exists", keys.SUSPENDED)
    workers.ask(start)
    start.go()
    if name not in opening.queues:
        return None

    now = opening.now
    question = QueueQuestion(name, now)
    second = Trip()
    question.ask_figures(second)
    second.go()

    beats = workers.answer(now)
    listeners = sorted((beat for beat in beats if name in beat.queues), key=lambda beat: beat.gone)
    third = Trip()
    question.ask_jobs(third)
    records = [(beat.name, worker_rows.ask_worker(third, beat.name)) for beat in listeners[:MOST_WORKERS]]
    third.go()

    return QueueDetail(
        row=question.answer(beats, suspended=bool(suspended.value)),
        workers=tuple(worker_rows.build_worker(*record, now) for record in records),
        more_workers=max(0, len(listeners) - MOST_WORKERS),
    )
