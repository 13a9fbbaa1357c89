"""A queue's last hour by the minute, and its throughput, from the history that the upkeep keeps."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from jobs import keys
from jobs.names import exact
from jobs.reads import buckets
from jobs.reads.buckets import Bucket, read_buckets
from jobs.reads.trips import Answer, Trip
from jobs.resolutions import FINE, MINUTES

T = TypeVar("T")
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1) // MINUTE
STALE = timedelta(minutes=2)


def ask_hour(trip: Trip, queue: str) -> Answer:
    """Ask for the minutes of the last hour of a queue, or of the whole under the empty name."""
    return buckets.ask_newest(trip, keys.history(MINUTES.name, exact(queue)), MINUTES, most=HOUR)


def ask_newest(trip: Trip, queue: str) -> Answer:
    """Ask for the samples of the newest minute of a queue."""
    return buckets.ask_newest(trip, keys.history(FINE.name, exact(queue)), FINE, most=MINUTE // FINE.step)


def by_minute(hour: Answer, figure: str, now: datetime) -> tuple[int | None, ...]:
    """Return the highest value of `figure` in each minute of the last hour, oldest first; None where nobody sampled.

    Empty where nobody did in all that time.
    """
    return each_minute(hour, lambda minute: minute.get(figure), now)


def each_minute(hour: Answer, value: Callable[[Bucket], T], now: datetime) -> tuple[T | None, ...]:
    """Return a value for each minute of the last hour, oldest first; None where nobody sampled."""
    known = {bucket.start: value(bucket) for bucket in read_buckets(hour)}
    newest = max(known, default=None)
    if newest is None or now - newest > HOUR * MINUTE:
        return ()
    end = max(newest, _start_of_minute(now) - STALE)
    return tuple(known.get(end - back * MINUTE) for back in reversed(range(HOUR)))


def sum_hour(hour: Answer, figure: str, now: datetime) -> int:
    """Return what `figure` came to in the last hour, as far as is known."""
    return sum(bucket.get(figure) or 0 for bucket in read_buckets(hour) if now - bucket.start <= HOUR * MINUTE)


def ended_per_minute(newest: Answer, now: datetime) -> float | None:
    """Return how many attempts ended a minute, over the newest minute on record; None where nobody takes samples."""
    samples = [sample for sample in read_buckets(newest) if now - sample.start <= STALE + MINUTE]
    over = timedelta(milliseconds=sum(sample.get("over") or 0 for sample in samples))
    if not samples or now - samples[0].start > STALE or over <= timedelta(0):
        return None
    return sum((sample.get("finished") or 0) + (sample.get("failed") or 0) for sample in samples) * (MINUTE / over)


def _start_of_minute(at: datetime) -> datetime:
    return at.replace(second=0, microsecond=0)
