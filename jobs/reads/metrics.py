"""The figures that a scrape takes: by queue, of the locks, and by namespace of the cache; none grows with the jobs."""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from jobs import durations, keys
from jobs.connection import StoreAway, cache_store
from jobs.names import decoded, exact, written
from jobs.reads.fields import number, server_time, span_ms
from jobs.reads.lock_counts import LockCountsQuestion
from jobs.reads.long_running import LongRunningQuestion
from jobs.reads.queues import QueueRow, list_queues
from jobs.reads.trips import Answer, Trip

NONE = timedelta(0)
MOST_NAMESPACES = 100
MOST_READ = 1_000
OTHER = "other"


@dataclass(frozen=True, slots=True)
class QueueCounters:
    """What a queue's jobs have come to, since ever."""

    enqueued: int = 0
    finished: int = 0
    failed: int = 0
    retried: int = 0
    reclaimed: int = 0
    crashed: int = 0


@dataclass(frozen=True, slots=True)
class Histogram:
    """Durations: a count for each of `jobs.durations.LIMITS_MS` and one for what took longer, not cumulative."""

    counts: tuple[int, ...]
    total: timedelta


@dataclass(frozen=True, slots=True)
class QueueMetrics:
    """A queue: its jobs by state, its lifetime counters, and how long its attempts waited and ran."""

    name: str
    waiting: int
    oldest_age: timedelta
    parked: int
    in_flight: int
    long_running: int
    retrying: int
    dead: int
    counters: QueueCounters
    waited: Histogram
    ran: Histogram


@dataclass(frozen=True, slots=True)
class CacheMetrics:
    """The lifetime counters of a namespace; OTHER sums those beyond the first MOST_NAMESPACES by name."""

    name: str
    hits: int
    stale: int
    misses: int
    refreshes: int
    coalesced: int
    fallbacks: int
    refused: int
    failures: int


@dataclass(frozen=True, slots=True)
class Metrics:
    """All figures; `cache` is None while the cache's server is away."""

    queues: tuple[QueueMetrics, ...]
    locks_held: int
    locks_stuck: int
    cache: tuple[CacheMetrics, ...] | None


COUNTERS = tuple(field.name for field in fields(QueueCounters))
READS = tuple(field.name for field in fields(CacheMetrics) if field.name != "name")


def read_metrics() -> Metrics:
    """Return the figures, in five round trips, and two to the cache's server. Writes nothing.

    Raises a member of `jobs.connection.StoreAway`; the cache's server alone may be away.
    """
    questions, locks = [_QueueQuestion(row) for row in list_queues()], LockCountsQuestion()
    first = Trip()
    clock = first.ask("time")
    locks.ask_index(first)
    for question in questions:
        question.ask_counts(first)
    first.go()
    now = server_time(clock.value)
    second = Trip()
    locks.ask_standing(second, now)
    for question in questions:
        question.ask_jobs(second)
    second.go()
    return Metrics(
        queues=tuple(question.answer(now) for question in questions),
        locks_held=locks.held.value,
        locks_stuck=locks.stuck.value,
        cache=_read_cache(),
    )


class _QueueQuestion:
    """The questions about one queue beyond its row, asked on two trips."""

    def __init__(self, row: QueueRow) -> None:
        self._row = row

    def ask_counts(self, trip: Trip) -> None:
        name = exact(self._row.name)
        self._counters = trip.ask("hmget", keys.counts(name), *COUNTERS)
        self._waited, self._ran = (
            trip.ask("hmget", keys.counts(name), durations.total(kind), *durations.FIELDS[kind])
            for kind in durations.KINDS
        )
        self._running = LongRunningQuestion(self._row.name)
        self._running.ask_members(trip)

    def ask_jobs(self, trip: Trip) -> None:
        self._running.ask_jobs(trip)

    def answer(self, now: datetime) -> QueueMetrics:
        row, counts = self._row, self._row.counts
        age = now - row.oldest if row.oldest else NONE
        return QueueMetrics(
            name=row.name,
            waiting=counts.waiting.value,
            oldest_age=max(NONE, age),
            parked=counts.parked.value,
            in_flight=counts.in_flight,
            long_running=self._running.answer(now),
            retrying=counts.retrying.value,
            dead=counts.dead.value,
            counters=QueueCounters(*map(number, self._counters.value or ())),
            waited=_histogram(self._waited),
            ran=_histogram(self._ran),
        )


def _histogram(answer: Answer) -> Histogram:
    total, *counts = answer.value or (None,)
    return Histogram(tuple(map(number, counts)), span_ms(total) or timedelta(0))


def _read_cache() -> tuple[CacheMetrics, ...] | None:
    try:
        first = Trip(cache_store())
        known = first.ask("smembers", keys.CACHE_NAMESPACES)
        first.go()
        names = sorted(map(decoded, known.value or ()))[:MOST_READ]
        second = Trip(cache_store())
        counts = [second.ask("hmget", keys.cache_counts(name), *READS) for name in names]
        second.go()
    except StoreAway:
        return None
    return _fold(list(map(written, names)), counts)


def _fold(names: list[str], counts: list[Answer]) -> tuple[CacheMetrics, ...]:
    """Return a row for each of the first namespaces, and one for all others together: labels stay few."""
    sums: dict[str, list[int]] = {}
    for place, (name, answer) in enumerate(zip(names, counts, strict=True)):
        row = sums.setdefault(name if place < MOST_NAMESPACES else OTHER, [0] * len(READS))
        for column, value in enumerate(answer.value or ()):
            row[column] += number(value)
    return tuple(CacheMetrics(name, *row) for name, row in sums.items())
