"""What stands in Redis at one moment, as the history takes it down: by the same counting as on the pages."""

from dataclasses import dataclass, field
from datetime import datetime

from redis import Redis

from jobs import durations, keys
from jobs.conf import conf
from jobs.connection import StoreAway, cache_store
from jobs.names import decoded, written
from jobs.reads.depths import DepthsQuestion
from jobs.reads.fields import number
from jobs.reads.lock_counts import LockCountsQuestion
from jobs.reads.trips import Trip
from jobs.reads.worker_beats import BeatsQuestion

ENDED = ("finished", "failed")
READS = ("hits", "stale", "misses")


@dataclass(frozen=True, slots=True)
class Reading:
    """Gauges as they are; counters and durations as they have grown since ever, these by `durations.PLACES`."""

    gauges: dict[str, int]
    counters: dict[str, int]
    durations: dict[str, int] = field(default_factory=dict)


def read_queues(client: Redis, queues: list[str], now: datetime) -> dict[str, Reading]:
    """Return a reading of each queue, in two round trips; `now` is the server's time.

    Its gauges are the jobs that are `waiting`, `in_flight` and `dead`, and `oldest`: for how many seconds the next one
    has waited.
    """
    questions = {queue: _QueueQuestion(queue, now) for queue in queues}
    for ask in (_QueueQuestion.ask_figures, _QueueQuestion.ask_states):
        trip = Trip(client)
        for question in questions.values():
            ask(question, trip)
        trip.go()
    return {queue: question.answer() for queue, question in questions.items()}


def read_whole(client: Redis, queues: list[Reading], now: datetime) -> Reading:
    """Return the sum of the queues' readings, with what belongs to none: locks, workers and the cache's reads.

    Its own gauges are `locks` that are held, those of them that are `waited_for`, and the `workers` that are not gone.
    """
    gauges = _sum([reading.gauges for reading in queues])
    gauges["oldest"] = max((reading.gauges["oldest"] for reading in queues), default=0)
    counters = _sum([reading.counters for reading in queues])
    return Reading(
        gauges=gauges | _read_locks_and_workers(client, now),
        counters=counters | _read_cache(cache_store() if conf().CACHE_URL else client),
        durations=_sum([reading.durations for reading in queues]),
    )


class _QueueQuestion:
    """The questions about one queue, asked on two trips."""

    def __init__(self, name: str, now: datetime) -> None:
        self._name = name
        self._now = now
        self._depths = DepthsQuestion(written(name), now)

    def ask_figures(self, trip: Trip) -> None:
        self._depths.ask_lengths(trip)
        self._ended = trip.ask("hmget", keys.counts(self._name), *ENDED)
        self._durations = trip.ask("hmget", keys.counts(self._name), *durations.PLACES)

    def ask_states(self, trip: Trip) -> None:
        self._depths.ask_states(trip)

    def answer(self) -> Reading:
        depths = self._depths.answer()
        waited = (self._now - depths.oldest).total_seconds() if depths.oldest else 0
        counts = enumerate(map(number, self._durations.value or ()))
        return Reading(
            gauges={
                "waiting": depths.waiting.value,
                "oldest": max(0, int(waited)),
                "in_flight": depths.in_flight,
                "dead": depths.dead.value,
            },
            counters=dict(zip(ENDED, map(number, self._ended.value or (0, 0)), strict=True)),
            durations={str(place): count for place, count in counts if count},
        )


def _sum(rows: list[dict[str, int]]) -> dict[str, int]:
    return {name: sum(row.get(name, 0) for row in rows) for name in {name for row in rows for name in row}}


def _read_locks_and_workers(client: Redis, now: datetime) -> dict[str, int]:
    first, locks, workers = Trip(client), LockCountsQuestion(), BeatsQuestion(client)
    workers.ask(first)
    locks.ask_index(first)
    first.go()
    second = Trip(client)
    locks.ask_standing(second, now)
    waiters = [second.ask("zcard", keys.waiters(resource)) for resource in (*locks.overdue, *locks.others)]
    second.go()
    return {
        "locks": locks.held.value,
        "waited_for": sum(number(answer.value) > 0 for answer in waiters),
        "workers": sum(not beat.gone for beat in workers.answer(now)),
    }


def _read_cache(client: Redis) -> dict[str, int]:
    """Return the cache's counters, summed; nothing while the cache's own server is away."""
    try:
        first = Trip(client)
        namespaces = first.ask("smembers", keys.CACHE_NAMESPACES)
        first.go()
        second = Trip(client)
        counts = [second.ask("hmget", keys.cache_counts(decoded(name)), *READS) for name in namespaces.value or ()]
        second.go()
    except StoreAway:
        if conf().CACHE_URL:
            return {}
        raise
    rows = [dict(zip(READS, map(number, answer.value), strict=True)) for answer in counts if answer.value]
    return dict.fromkeys(READS, 0) | _sum(rows)
