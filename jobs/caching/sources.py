"""Run the source of an entry under its marker, and fill the entry with what it returns."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from jobs.caching import flights, markers
from jobs.caching.counters import count
from jobs.caching.entries import encode_value, namespace_of
from jobs.caching.flights import Flight
from jobs.caching.markers import Filling, Marker
from jobs.connection import CannotStore, cache_store
from jobs.logs import log

BUCKETS_MS = (10, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000)


class SourceFailed(Exception):
    """Carries what the source raised past the handlers that are about Redis."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.text = f"{type(error).__name__}: {error}"
        super().__init__(repr(error))


@dataclass(frozen=True, slots=True)
class Source:
    """Where the value of a key comes from, and how long it lasts."""

    key: str
    compute: Callable[[], Any]
    fresh_for: timedelta
    stale_for: timedelta
    throttle: timedelta
    max_duration: timedelta

    def run(self) -> str:
        """Return the value as JSON. Raises SourceFailed."""
        try:
            return encode_value(self.compute())
        except Exception as error:
            raise SourceFailed(error) from error


def run_and_fill(source: Source, marker: Marker, flight: Flight) -> str:
    """Return the source's value as JSON, once it is in the cache if it may be.

    A value that was refused is for its own reader alone, who asked before the invalidation. Raises SourceFailed.
    """
    client, began = cache_store(), time.monotonic()
    try:
        when_hung = partial(_abandon, source, marker, flight)
        with markers.kept(client, marker, max_duration=source.max_duration, when_hung=when_hung):
            text = source.run()
    except BaseException as error:
        count(namespace_of(source.key), failures=1)
        with suppress(*CannotStore):
            if isinstance(error, SourceFailed):
                flight.error = error.error
                markers.give_up(client, marker, failed=error.text, pause=source.throttle)
            else:
                markers.give_up(client, marker)
        raise
    took = timedelta(seconds=time.monotonic() - began)
    with suppress(*CannotStore):
        filling = Filling(source.key, namespace_of(source.key), text, source.fresh_for, source.stale_for)
        written = markers.fill(client, marker, filling, took=took, pin="marker")
        note_refresh(source.key, by=marker.by, written=written, took=took)
        flight.text = text if written else None
    return text


def _abandon(source: Source, marker: Marker, flight: Flight) -> None:
    """Let others try, here and elsewhere, where the source hangs; what it returns at last will be refused."""
    count(namespace_of(source.key), failures=1)
    flights.land(flight)
    text = f"took longer than {source.max_duration.total_seconds():g} s"
    markers.give_up(cache_store(), marker, failed=text, pause=source.throttle)


def note_refresh(key: str, *, by: str, written: bool, took: timedelta) -> None:
    """Count and log the end of a refresh."""
    took_ms = round(took / timedelta(milliseconds=1))
    if written:
        bucket = next((f"le_{limit}" for limit in BUCKETS_MS if took_ms <= limit), "le_inf")
        count(namespace_of(key), **{"refreshes": 1, "refresh_ms": took_ms, bucket: 1})
    else:
        count(namespace_of(key), refused=1)
    log.info("cache refreshed" if written else "cache refused", key=key, by=by, took_ms=took_ms)
