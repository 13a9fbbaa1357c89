"""The queues: one row each, for the list and for the Overview."""

from dataclasses import dataclass
from datetime import datetime

from jobs import keys
from jobs.names import exact
from jobs.reads import samples
from jobs.reads.depths import DepthsQuestion, QueueDepths
from jobs.reads.fields import from_ms, line
from jobs.reads.opening import Opening
from jobs.reads.trips import Trip
from jobs.reads.worker_beats import BeatsQuestion, WorkerBeat


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A queue with its figures; `per_minute` is None and `depths` empty where nobody takes samples.

    `stock_workers` are those of the workers that are RQ's own, which know of no pause of a queue.
    """

    name: str
    counts: QueueDepths
    oldest: datetime | None
    per_minute: float | None
    depths: tuple[int | None, ...]
    workers: int
    stock_workers: int
    paused: bool
    paused_by: str
    paused_at: datetime | None
    suspended: bool

    @property
    def listened(self) -> bool:
        return self.workers > 0

    @property
    def at_rest(self) -> bool:
        return self.paused or self.suspended


def list_queues() -> list[QueueRow]:
    """Return one row per queue of the settings or that RQ knows of, by name, in three round trips.

    Raises a member of `jobs.connection.StoreAway` when the server is away.
    """
    start, opening, workers = Trip(), Opening(), BeatsQuestion()
    opening.ask(start)
    suspended = start.ask("exists", keys.SUSPENDED)
    workers.ask(start)
    start.go()

    questions = [QueueQuestion(name, opening.now) for name in opening.queues]
    second = Trip()
    for question in questions:
        question.ask_figures(second)
    second.go()

    third = Trip()
    for question in questions:
        question.ask_jobs(third)
    third.go()

    beats = workers.answer(opening.now)
    return [question.answer(beats, suspended=bool(suspended.value)) for question in questions]


def list_worst_first() -> list[QueueRow]:
    """Return the rows of `list_queues`: where nobody takes waiting jobs first, then by the oldest job's age."""
    return sorted(list_queues(), key=_goodness)


def _goodness(queue: QueueRow) -> tuple[bool, bool, float, int, str]:
    """Order queues worst first: jobs that nobody takes, then jobs at rest, then by age, then by dead letters."""
    waits = bool(queue.counts.waiting)
    age = queue.oldest.timestamp() if queue.oldest else float("inf")
    return not (waits and not queue.listened), not (waits and queue.at_rest), age, -queue.counts.dead.value, queue.name


def is_known(name: str) -> bool:
    """Return whether the settings or RQ know of the queue, in one round trip.

    Raises a member of `jobs.connection.StoreAway` when the server is away.
    """
    trip, opening = Trip(), Opening()
    opening.ask(trip)
    trip.go()
    return name in opening.queues


class QueueQuestion:
    """The questions about one queue's row, asked on two trips."""

    def __init__(self, name: str, now: datetime) -> None:
        self._name = name
        self._now = now
        self._depths = DepthsQuestion(name, now)

    def ask_figures(self, trip: Trip) -> None:
        name = exact(self._name)
        self._depths.ask_lengths(trip)
        self._paused = trip.ask("hmget", keys.paused(name), "by", "at")
        self._newest, self._hour = samples.ask_newest(trip, self._name), samples.ask_hour(trip, self._name)

    def ask_jobs(self, trip: Trip) -> None:
        self._depths.ask_states(trip)

    def answer(self, workers: list[WorkerBeat], *, suspended: bool) -> QueueRow:
        by, at = self._paused.value or (None, None)
        counts = self._depths.answer()
        listeners = [worker for worker in workers if self._name in worker.queues and not worker.gone]
        return QueueRow(
            name=self._name,
            counts=counts,
            oldest=counts.oldest,
            per_minute=samples.ended_per_minute(self._newest, self._now),
            depths=samples.by_minute(self._hour, "waiting", self._now),
            workers=len(listeners),
            stock_workers=sum(not worker.version for worker in listeners),
            paused=by is not None or at is not None,
            paused_by=line(by),
            paused_at=from_ms(at),
            suspended=suspended,
        )
