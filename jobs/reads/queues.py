"""The queues: one row each, for the list and for the Overview."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from jobs import keys
from jobs.reads import samples, worker_rows
from jobs.reads.depths import DepthsQuestion, QueueDepths
from jobs.reads.fields import from_ms, line, moment, server_time
from jobs.reads.trips import Answer, Trip

MOST = 500


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A queue with its figures; `per_minute` is None and `depths` empty where nobody takes samples."""

    name: str
    counts: QueueDepths
    oldest: datetime | None
    per_minute: float | None
    depths: tuple[int, ...]
    workers: int
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
    start = Trip()
    clock, known, suspended = start.ask("time"), start.ask("smembers", keys.QUEUES), start.ask("exists", keys.SUSPENDED)
    worker_names = worker_rows.ask_names(start)
    start.go()

    now = server_time(clock.value)
    questions = [QueueQuestion(name, now) for name in queue_names(known)]
    second = Trip()
    workers = [(name, worker_rows.ask_worker(second, name)) for name in worker_rows.names(worker_names)]
    for question in questions:
        question.ask_figures(second)
    second.go()

    third = Trip()
    for question in questions:
        question.ask_jobs(third)
    third.go()

    rows = [worker_rows.build_worker(name, answer, now) for name, answer in workers]
    return [question.answer(rows, suspended=bool(suspended.value)) for question in questions]


def queue_names(known: Answer) -> list[str]:
    """Return the queues of the settings and those that RQ knows of, by name, the first MOST of them."""
    prefix = keys.queue()
    found = {line(key).removeprefix(prefix) for key in known.value or ()} | set(settings.RQ_QUEUES)
    return sorted(found - {""})[:MOST]


class QueueQuestion:
    """The questions about one queue's row, asked on two trips."""

    def __init__(self, name: str, now: datetime) -> None:
        self._name = name
        self._now = now
        self._depths = DepthsQuestion(name, now)

    def ask_figures(self, trip: Trip) -> None:
        self._depths.ask_lengths(trip)
        self._head = trip.ask("lindex", keys.queue(self._name), 0)
        self._paused = trip.ask("hmget", keys.paused(self._name), "by", "at")
        self._samples = samples.ask_samples(trip, self._name)

    def ask_jobs(self, trip: Trip) -> None:
        self._depths.ask_states(trip)
        self._head_times = trip.ask("hmget", keys.job(line(self._head.value)), "enqueued_at", "m_parked")

    def answer(self, workers: list[worker_rows.WorkerRow], *, suspended: bool) -> QueueRow:
        by, at = self._paused.value or (None, None)
        counts = self._depths.answer()
        hour = samples.read_samples(self._samples)
        return QueueRow(
            name=self._name,
            counts=counts,
            oldest=self._oldest(counts.oldest_parked),
            per_minute=samples.ended_per_minute(hour, self._now.timestamp() * 1000),
            depths=samples.highest_by_minute(hour, "waiting"),
            workers=sum(self._name in worker.queues for worker in workers if not worker.gone),
            paused=by is not None or at is not None,
            paused_by=line(by),
            paused_at=from_ms(at),
            suspended=suspended,
        )

    def _oldest(self, parked: datetime | None) -> datetime | None:
        """Return since when the oldest has waited; one that was parked since it was parked, wherever it is now."""
        enqueued, was_parked = self._head_times.value or (None, None)
        return min(filter(None, (from_ms(was_parked) or moment(enqueued), parked)), default=None)
