"""The buckets of the history as they lie in Redis: each says when it began and what was known of that time."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from jobs.reads.fields import from_ms, number
from jobs.reads.trips import Answer, Trip
from jobs.resolutions import Resolution

PART = 360
DIGITS = 15


@dataclass(frozen=True, slots=True)
class Bucket:
    """What was known of the time from `start_ms` on, milliseconds since the epoch."""

    start_ms: int
    fields: dict[bytes, Any]

    @property
    def start(self) -> datetime:
        return from_ms(self.start_ms) or datetime.min.replace(tzinfo=UTC)

    def get(self, figure: str) -> int | None:
        """Return a figure, None where it was not known."""
        return whole_number(self.fields.get(figure.encode()))


def whole_number(value: bytes | None) -> int | None:
    """Return what the history wrote as a number, None for whatever else lies there. Asked a hundred thousand times."""
    try:
        return int(value) if value and len(value) <= DIGITS else None
    except ValueError:
        return None


def ask_span(trip: Trip, key: str, resolution: Resolution, start: datetime) -> list[Answer]:
    """Ask for the buckets from `start` on, in parts, so that no question keeps the server for long."""
    part = PART * resolution.step
    starts = [start + place * part for place in range(-(-resolution.kept // PART))]
    ends = [*(_ms(later) - 1 for later in starts[1:]), "+"]
    return [trip.ask("xrange", key, _ms(each), end) for each, end in zip(starts, ends, strict=True)]


def ask_newest(trip: Trip, key: str, resolution: Resolution, *, most: int | None = None) -> Answer:
    """Ask for the newest buckets under `key`, `most` of them at the most."""
    return trip.ask("xrevrange", key, count=min(most or resolution.kept, resolution.kept))


def ask_oldest(trip: Trip, key: str) -> Answer:
    """Ask for the oldest bucket under `key`."""
    return trip.ask("xrange", key, count=1)


def read_buckets(answer: Answer) -> list[Bucket]:
    """Return the buckets, in the order they were asked for."""
    return [Bucket(number(entry.partition(b"-")[0]), fields or {}) for entry, fields in answer.value or ()]


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
