"""One cache entry: its state and times, and on its own page its value."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.utils.translation import gettext as _

from jobs import keys
from jobs.caching import namespace_of
from jobs.names import written
from jobs.reads.fields import from_ms, line, number, record, span_ms
from jobs.reads.figures import figure
from jobs.reads.trips import Answer, Trip

HIT: Final = "hit"
STALE: Final = "stale"
REFRESHING: Final = "refreshing"
MISS: Final = "miss"

JOB_ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""An id as Mandor and RQ make them; `by` may also name a holder outside jobs."""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """An entry. Its times are None and `problem` says why where its envelope is not to be read."""

    key: str
    state: str
    written: datetime | None
    fresh_until: datetime | None
    stale_until: datetime | None
    size: int
    by: str
    took: timedelta | None
    refreshing_by: str
    refreshing_since: datetime | None
    token: str
    problem: str
    failed: str
    value: Any

    @property
    def fresh(self) -> bool:
        return self.state == HIT

    @property
    def by_job(self) -> bool:
        return bool(JOB_ID.fullmatch(self.by))


class EntryQuestion:
    """The questions about one entry, asked on two trips: its size and who refreshes it, then what it holds."""

    def __init__(self, key: str, longest: int) -> None:
        self.key = key
        self._longest = longest
        self._envelope = Answer()

    def ask_summary(self, trip: Trip) -> None:
        """Ask for the size, and for who refreshes it."""
        self._size = trip.ask("strlen", keys.cache(self.key))
        self._refreshing = trip.ask("hmget", keys.refreshing(self.key), "by", "since", "failed")
        self._version = trip.ask("get", keys.cache_version(namespace_of(self.key)))

    def ask_envelope(self, trip: Trip) -> None:
        """Ask for the envelope, unless it is too long."""
        if 0 < number(self._size.value) <= self._longest:
            self._envelope = trip.ask("get", keys.cache(self.key))

    def answer(self, now: datetime) -> CacheEntry:
        """Return the entry, once both trips are made."""
        envelope, size = record(self._envelope.value), number(self._size.value)
        if "version" in envelope and number(envelope["version"]) != number(self._version.value):
            envelope, size = {}, 0
        by, since, failed = self._refreshing.value or (None, None, None)
        if failed is not None:
            by = since = None
        fresh_until = from_ms(envelope.get("fresh_until"))
        return CacheEntry(
            key=written(self.key),
            state=_state(size, fresh_until, now, refreshing=since is not None or by is not None),
            written=from_ms(envelope.get("at")),
            fresh_until=fresh_until,
            stale_until=from_ms(envelope.get("stale_until")),
            size=size,
            failed=line(failed),
            by=line(envelope.get("by")),
            took=span_ms(envelope.get("took")),
            refreshing_by=line(by),
            refreshing_since=from_ms(since),
            token=line(envelope.get("token")),
            problem=self._problem(size, envelope),
            value=envelope.get("value"),
        )

    def _problem(self, size: int, envelope: dict[str, Any]) -> str:
        if size > self._longest:
            return _("Its %(size)s bytes are too long to look into here") % {"size": figure(size)}
        return _("It is not an entry that Mandor wrote") if size and "value" not in envelope else ""


def _state(size: int, fresh_until: datetime | None, now: datetime, *, refreshing: bool) -> str:
    if size == 0:
        return REFRESHING if refreshing else MISS
    if fresh_until is None or now < fresh_until:
        return HIT
    return REFRESHING if refreshing else STALE
