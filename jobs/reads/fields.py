"""Bytes from Redis as text, numbers and times: whatever lies there, nothing here raises."""

import json
import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

LINE = 200
"""Characters of a name or of one line."""

TEXT = 20_000
"""Characters of a traceback or of another long text."""

RQ_TIME = len("2000-01-01T00:00:00.000000Z")
SHORTEST_RQ_TIME = len("2000-01-01T00:00:00Z")
ENTRY = 200_000
LONGEST = timedelta(days=36_500)
EARLIEST, LATEST = datetime(1000, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
"""What lies beyond is nonsense that somebody wrote: a duration counts as this long, a time as unknown."""
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def text(value: Any, limit: int = TEXT) -> str:
    """Return `value` as text of at most `limit` characters; what no font shows becomes a replacement mark."""
    if value is None:
        return ""
    decoded = value[: 4 * limit + 4].decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    shown = decoded if len(decoded) <= limit else decoded[: limit - 1] + "…"
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() or c in "\n\t" else REPLACEMENT for c in shown)


def line(value: Any, limit: int = LINE) -> str:
    """Return `value` as one line of text, safe as a name in an address."""
    return " ".join(text(value, limit).split())


def number(value: Any) -> int:
    """Return `value` as a whole number, 0 where there is none."""
    return optional_number(value) or 0


def optional_number(value: Any) -> int | None:
    """Return `value` as a whole number, None where there is none."""
    parsed = _float(value)
    return None if parsed is None else int(parsed)


def _float(value: Any) -> float | None:
    if value is None:
        return None
    try:
        parsed = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return parsed if math.isfinite(parsed) else None


def moment(value: Any) -> datetime | None:
    """Return a time that RQ wrote as text. Asked a thousand times for a page, so that `strptime` is too slow."""
    written = value[:RQ_TIME].decode("ascii", "replace") if isinstance(value, bytes) else line(value, RQ_TIME)
    if not written.endswith("Z") or len(written) < SHORTEST_RQ_TIME:
        return None
    try:
        return _sensible(datetime.fromisoformat(written).astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def from_ms(value: Any) -> datetime | None:
    """Return a time of ours: milliseconds since the epoch."""
    parsed = _float(value)
    return None if parsed is None else from_seconds(parsed / 1000)


def from_seconds(value: Any) -> datetime | None:
    """Return the time of a registry's score: seconds since the epoch."""
    parsed = _float(value)
    if not parsed:
        return None
    try:
        return _sensible(datetime.fromtimestamp(parsed, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def _sensible(at: datetime) -> datetime | None:
    """Return a time from which LONGEST may be added and taken off, in any zone; None for any other."""
    return at if EARLIEST <= at <= LATEST else None


def span_ms(value: Any) -> timedelta | None:
    """Return a duration given in milliseconds."""
    parsed = _float(value)
    return None if parsed is None else _span(parsed / 1000)


def span_seconds(value: Any) -> timedelta | None:
    """Return a duration given in seconds; RQ writes -1 for an endless one, which is None."""
    parsed = _float(value)
    return None if parsed is None or parsed < 0 else _span(parsed)


def _span(seconds: float) -> timedelta:
    """Return a duration of LONGEST at the most, either way."""
    return timedelta(seconds=max(-LONGEST.total_seconds(), min(seconds, LONGEST.total_seconds())))


def record(value: Any) -> dict[str, Any]:
    """Return a JSON object; an empty one for whatever else lies there."""
    if not isinstance(value, bytes) or len(value) > ENTRY:
        return {}
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def records(values: Iterable[Any] | None) -> list[dict[str, Any]]:
    """Return the JSON objects of a list."""
    return [record(value) for value in values or ()]


def server_time(answer: tuple[int, int]) -> datetime:
    """Return what TIME answered."""
    seconds, microseconds = answer
    return datetime.fromtimestamp(seconds, UTC) + timedelta(microseconds=microseconds)


def scored(values: Any) -> list[tuple[bytes, float]]:
    """Return a sorted set's members with their scores."""
    return [(member, float(score)) for member, score in values or ()]
