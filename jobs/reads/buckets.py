"""The buckets of the history as they lie in Redis: each says when it began and what was known of that time."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from jobs.history.resolutions import Resolution
from jobs.reads.fields import from_ms, line, optional_number
from jobs.reads.trips import Answer, Trip


@dataclass(frozen=True, slots=True)
class Bucket:
    """What was known of the time from `start` on; a figure that was not is missing."""

    start: datetime
    figures: dict[str, int]

    def get(self, figure: str) -> int | None:
        return self.figures.get(figure)


def ask_buckets(trip: Trip, key: str, resolution: Resolution, *, most: int | None = None) -> Answer:
    """Ask for the newest buckets under `key`, `most` of them at the most."""
    return trip.ask("xrevrange", key, count=min(most or resolution.kept, resolution.kept))


def read_buckets(answer: Answer) -> list[Bucket]:
    """Return the buckets, newest first, without those that cannot be read."""
    read = (_read_bucket(entry, fields or {}) for entry, fields in answer.value or ())
    return [bucket for bucket in read if bucket]


def _read_bucket(entry: bytes, fields: dict[bytes, Any]) -> Bucket | None:
    start = from_ms(entry.partition(b"-")[0])
    read = {line(name): optional_number(value) for name, value in fields.items()}
    return Bucket(start, {name: value for name, value in read.items() if value is not None}) if start else None
