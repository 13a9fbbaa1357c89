"""What a reader gets, and the text an entry is stored as."""

import json
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

VERSION = 1
DEFAULT_NAMESPACE = "default"


class State(StrEnum):
    """What was found."""

    HIT = "hit"
    STALE = "stale"
    REFRESHING = "refreshing"
    MISS = "miss"


class Outcome(StrEnum):
    """What was done for the reader."""

    SERVED = "served"
    COALESCED = "coalesced"
    COMPUTED = "computed"
    FELL_BACK = "fell back"
    NOTHING = "nothing"


class Entry(NamedTuple):
    """A cache entry as one reader got it. Made at each read, and so a tuple, which is made in a fifth of the time.

    `state` is what was found: a refreshing one may still have its stale value. `age` is None while there is no value;
    `refreshing_by` and `refreshing_since` say who is at it; `failed` is what the source failed with a moment ago.
    """

    state: State
    value: Any = None
    age: timedelta | None = None
    refreshing_by: str = ""
    refreshing_since: datetime | None = None
    outcome: Outcome = Outcome.NOTHING
    failed: str = ""

    @property
    def has_value(self) -> bool:
        return self.outcome is not Outcome.NOTHING


class Envelope(NamedTuple):
    """A stored value, its namespace's version, and its times in milliseconds since the epoch by the server's clock."""

    value: Any
    version: str
    at: int
    fresh_until: int


def encode_value(value: Any) -> str:
    """Return a value as the JSON text an entry holds.

    Raises TypeError, with the cause, for what JSON cannot hold: dates, sets, NaN, objects.
    """
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"A value of type {type(value).__name__} cannot be cached, entries are JSON: {error}"
        raise TypeError(message) from error


def decode_value(text: str) -> Any:
    """Return what every reader of an entry gets: lists for tuples, text for keys."""
    return json.loads(text)


def open_envelope(raw: bytes | None) -> Envelope | None:
    """Return the envelope that Redis holds; None when there is none, or none that this version can read."""
    if raw is None:
        return None
    try:
        fields = json.loads(raw)
        if fields["v"] != VERSION:
            return None
        return Envelope(fields["value"], str(fields["version"]), int(fields["at"]), int(fields["fresh_until"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def namespace_of(key: str) -> str:
    """Return the namespace of a key, under which its reads are counted: its part before the first colon."""
    namespace, colon, _ = key.partition(":")
    return namespace if colon and namespace else DEFAULT_NAMESPACE


def to_moment(milliseconds: float) -> datetime:
    """Return a time of the server's clock."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
