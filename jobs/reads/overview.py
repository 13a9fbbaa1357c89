"""What the Overview adds to the frame and to the list of queues."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from jobs import keys
from jobs.conf import conf
from jobs.connection import StoreAway
from jobs.names import exact
from jobs.reads import heartbeats, samples
from jobs.reads.buckets import Bucket
from jobs.reads.cache import count_refreshing
from jobs.reads.events import Event, ask_events, build_events
from jobs.reads.fields import number, server_time
from jobs.reads.long_running import LongRunningQuestion
from jobs.reads.queues import QueueRow, list_worst_first
from jobs.reads.tallies import Tally
from jobs.reads.trips import Answer, Trip
from jobs.reads.worker_beats import BeatsQuestion

EVENTS = 12
LATELY = timedelta(hours=1)
READS = ("hits", "stale", "misses")
FIGURES = ("waiting", "in_flight", "locks", "dead", "workers")


@dataclass(frozen=True, slots=True)
class Hour:
    """The last hour of each figure by the minute, oldest first; None where nobody took a sample."""

    waiting: tuple[int | None, ...]
    in_flight: tuple[int | None, ...]
    locks: tuple[int | None, ...]
    dead: tuple[int | None, ...]
    workers: tuple[int | None, ...]
    hit_ratio: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """What stands on the Overview; `refreshing` is None while the cache's server is away."""

    queues: tuple[QueueRow, ...]
    longest_waiting: QueueRow | None
    parked: Tally
    long_running: int
    late: int
    gone: int
    died_lately: int
    refreshing: int | None
    hour: Hour
    events: tuple[Event, ...]


def read_overview() -> Overview:
    """Return the figures, in five round trips, and two to the cache's server.

    Raises a member of `jobs.connection.StoreAway`; the cache's server alone may be away.
    """
    queues, workers = list_worst_first(), BeatsQuestion()
    first = Trip()
    clock, hour, events = first.ask("time"), samples.ask_hour(first, ""), ask_events(first, EVENTS)
    workers.ask(first)
    running = [LongRunningQuestion(queue.name) for queue in queues]
    for question in running:
        question.ask_members(first)
    first.go()
    second, now = Trip(), server_time(clock.value)
    for question in running:
        question.ask_jobs(second)
    since = (now + conf().DEAD_LETTER_TTL - LATELY).timestamp()
    deaths = [second.ask("zcount", keys.failed(exact(queue.name)), since, "+inf") for queue in queues]
    second.go()
    verdicts = Counter(beat.verdict for beat in workers.answer(now))
    waiting = [queue for queue in queues if queue.oldest]
    return Overview(
        queues=tuple(queues),
        longest_waiting=min(waiting, key=_oldest) if waiting else None,
        parked=sum((queue.counts.parked for queue in queues), Tally(0)),
        long_running=sum(question.answer(now) for question in running),
        late=verdicts[heartbeats.LATE],
        gone=verdicts[heartbeats.GONE],
        died_lately=sum(number(count.value) for count in deaths),
        refreshing=_count_refreshing(),
        hour=_read_hour(hour, now),
        events=build_events(events),
    )


def _oldest(queue: QueueRow) -> datetime:
    assert queue.oldest is not None  # noqa: S101  only asked of queues that have one
    return queue.oldest


def _count_refreshing() -> int | None:
    try:
        return count_refreshing()
    except StoreAway:
        return None


def _read_hour(hour: Answer, now: datetime) -> Hour:
    figures = {figure: samples.by_minute(hour, figure, now) for figure in FIGURES}
    return Hour(**figures, hit_ratio=samples.each_minute(hour, _ratio, now))


def _ratio(minute: Bucket) -> float | None:
    """Return which part of a minute's reads were hits; None where there were none."""
    reads = sum(minute.get(name) or 0 for name in READS)
    return (minute.get("hits") or 0) / reads if reads else None
