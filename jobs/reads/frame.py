"""What stands around every page: the counts of the navigation and the open alerts."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from jobs import keys
from jobs.conf import conf
from jobs.connection import StoreAway, cache_store
from jobs.names import decoded, written
from jobs.reads import samples
from jobs.reads.depths import DepthsQuestion
from jobs.reads.fields import from_ms, number, span_ms
from jobs.reads.lock_counts import LockCountsQuestion
from jobs.reads.opening import Opening
from jobs.reads.tallies import Tally
from jobs.reads.trips import Answer, Trip
from jobs.reads.worker_beats import BeatsQuestion

READS = ("hits", "stale", "misses")
MOST_NAMESPACES = 1_000


@dataclass(frozen=True, slots=True)
class Alert:
    """A lock that is held for over twice its maximum duration."""

    resource: str
    since: datetime
    maximum: timedelta


@dataclass(frozen=True, slots=True)
class Frame:
    """The counts, None where the source did not answer, and the time of the server they come from.

    `stuck` counts all stuck locks; `alerts` are those of them that were read, the longest held first. `unheard` counts
    the queues with waiting jobs that no worker takes, `silent` the workers that should report and do not. `full_at` is
    how many bytes the server may use, where it uses them all and makes no room by itself.
    """

    now: datetime
    away: bool
    full_at: int | None = None
    waiting: Tally | None = None
    unheard: int = 0
    in_flight: int | None = None
    scheduled: Tally | None = None
    locks: Tally | None = None
    stuck: Tally | None = None
    dead: Tally | None = None
    workers: int | None = None
    silent: int = 0
    hit_ratio: float | None = None
    alerts: tuple[Alert, ...] = ()


def unknown_frame(*, away: bool = True) -> Frame:
    """Return the frame in which nothing is known: Redis is away, or the person may not look."""
    return Frame(now=datetime.now(UTC), away=away)


def read_frame() -> Frame:
    """Return the counts and the alerts, in three round trips, and two more to a cache's server of its own.

    Raises a member of `jobs.connection.StoreAway`; while only the cache's server is away, the hit ratio is None.
    """
    first, opening, locks = Trip(), Opening(), LockCountsQuestion()
    opening.ask(first)
    workers, reads = BeatsQuestion(), _ReadsQuestion()
    workers.ask(first)
    reads.ask_namespaces(first)
    locks.ask_index(first)
    memory = first.ask_if_allowed("info", "memory")
    hour = samples.ask_hour(first, "")
    first.go()

    now, names = opening.now, opening.queues
    depths = [DepthsQuestion(name, now, glance=True) for name in names]
    second = Trip()
    for question in depths:
        question.ask_lengths(second)
    reads.ask_counts(second)
    locks.ask_standing(second, now)
    holds = [(name, second.ask("hmget", keys.lock(name), "acquired", "max")) for name in locks.overdue]
    second.go()

    third = Trip()
    for question in depths:
        question.ask_states(third)
    third.go()

    counts = [question.answer() for question in depths]
    beats = workers.answer(now)
    heard = {queue for beat in beats if not beat.gone for queue in beat.queues}
    return Frame(
        now=now,
        away=False,
        full_at=_full_at(memory.value or {}),
        waiting=sum((count.waiting for count in counts), Tally(0)),
        unheard=sum(bool(count.waiting) and name not in heard for name, count in zip(names, counts, strict=True)),
        in_flight=sum(count.in_flight for count in counts),
        scheduled=sum((count.scheduled for count in counts), Tally(0)),
        locks=locks.held,
        stuck=locks.stuck,
        dead=sum((count.dead for count in counts), Tally(0)),
        workers=sum(not beat.gone for beat in beats),
        silent=sum(beat.gone for beat in beats),
        hit_ratio=reads.answer([samples.sum_hour(hour, name, now) for name in READS]),
        alerts=_list_alerts(holds, now),
    )


def is_stuck(since: datetime, maximum: timedelta, now: datetime) -> bool:
    """Return whether a lock is held for over twice its maximum duration."""
    return now - since > 2 * maximum


def _full_at(memory: dict[str, Any]) -> int | None:
    most, used = number(memory.get("maxmemory")), number(memory.get("used_memory"))
    counted = used - number(memory.get("mem_not_counted_for_evict"))
    return most if 0 < most <= counted and memory.get("maxmemory_policy") == "noeviction" else None


def _list_alerts(holds: list[tuple[str, Answer]], now: datetime) -> tuple[Alert, ...]:
    found = []
    for resource, hold in holds:
        acquired, longest = hold.value or (None, None)
        since, maximum = from_ms(acquired), span_ms(longest)
        if since and maximum and is_stuck(since, maximum, now):
            found.append(Alert(written(resource), since, maximum))
    return tuple(sorted(found, key=lambda alert: alert.since))


class _ReadsQuestion:
    """The questions how often the cache was read, asked on two trips, or on its own to a server of its own."""

    def __init__(self) -> None:
        self._counts: list[Answer] = []
        self._away = False

    def ask_namespaces(self, trip: Trip) -> None:
        own = self._own(trip)
        self._namespaces = own.ask("smembers", keys.CACHE_NAMESPACES)
        self._go(own, trip)

    def ask_counts(self, trip: Trip) -> None:
        """Ask for the counters of the first MOST_NAMESPACES."""
        own, names = self._own(trip), sorted(self._namespaces.value or ())[:MOST_NAMESPACES]
        self._counts = [own.ask("hmget", keys.cache_counts(decoded(name)), *READS) for name in names]
        self._go(own, trip)

    def answer(self, lately: list[int]) -> float | None:
        """Return which part of the reads of the last hour were hits, or of all reads where there were none.

        None before the first read and while the cache's server is away.
        """
        if self._away:
            return None
        totals = [
            sum(number(count.value[place]) for count in self._counts if count.value) for place in range(len(READS))
        ]
        reads = lately if sum(lately) else totals
        return reads[0] / sum(reads) if sum(reads) else None

    @staticmethod
    def _own(trip: Trip) -> Trip:
        return Trip(cache_store()) if conf().CACHE_URL else trip

    def _go(self, own: Trip, trip: Trip) -> None:
        if own is trip:
            return
        try:
            own.go()
        except StoreAway:
            self._away = True
