"""A queue's last hour, from the samples that the upkeep takes each ten seconds."""

from datetime import timedelta
from typing import Any

from jobs import keys
from jobs.reads.fields import number, records, span_ms
from jobs.reads.trips import Answer, Trip

HOUR = 360
PER_POINT = 6
MINUTE = timedelta(minutes=1)
STALE = timedelta(minutes=2)


def ask_samples(trip: Trip, queue: str) -> Answer:
    """Ask for the samples of the last hour, newest first."""
    return trip.ask("lrange", keys.history(queue), 0, HOUR - 1)


def read_samples(answer: Answer) -> list[dict[str, Any]]:
    """Return the samples of the last hour, newest first."""
    return [sample for sample in records(answer.value) if sample]


def highest_by_minute(samples: list[dict[str, Any]], figure: str) -> tuple[int, ...]:
    """Return the highest value of `figure` in each minute, oldest first: a short rush is never lost."""
    values = [number(sample.get(figure)) for sample in samples]
    minutes = [max(values[start : start + PER_POINT]) for start in range(0, len(values), PER_POINT)]
    return tuple(reversed(minutes))


def ended_per_minute(samples: list[dict[str, Any]], now_ms: float) -> float | None:
    """Return how many attempts ended a minute, over the newest minute on record; None where nobody takes samples."""
    if len(samples) <= 1 or now_ms - number(samples[0].get("at")) > STALE / timedelta(milliseconds=1):
        return None
    newest, before = samples[0], samples[min(PER_POINT, len(samples) - 1)]
    took = span_ms(number(newest.get("at")) - number(before.get("at")))
    if not took or took < timedelta(0):
        return None
    return max(0, _ended(newest) - _ended(before)) * (MINUTE / took)


def _ended(sample: dict[str, Any]) -> int:
    return number(sample.get("finished")) + number(sample.get("failed"))
