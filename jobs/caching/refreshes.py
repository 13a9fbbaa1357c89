"""Read or compute: one refresher at a time over all processes, and nobody waits for longer than it wants to."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from jobs.caching import flights, markers
from jobs.caching.behind import refresh_behind
from jobs.caching.entries import Entry, Outcome, State, decode_value, encode_value
from jobs.caching.flights import Flight
from jobs.caching.lookups import POLL_S, look, observed
from jobs.caching.sources import Source, SourceFailed, run_and_fill
from jobs.caching.turns import compute_in_turn
from jobs.connection import StoreAway, cache_store
from jobs.logs import log

Answer = tuple[str, Outcome]


def get_or_refresh(
    key: str,
    compute: Callable[[], Any],
    *,
    fresh_for: timedelta,
    stale_for: timedelta = timedelta(0),
    wait: timedelta = timedelta(seconds=5),
) -> Entry:
    """Return the entry of `key` with a value, computed by one of all readers of all processes at a time.

    A fresh value is served. A stale one, up to `stale_for` after that, is served too, and refreshed behind the reader;
    if the source fails then, it goes on being served. Without a value one reader computes it; the others wait for it,
    for `wait` at most, and then fall back to the source, as all do while Redis is away: those values are not cached.
    Raises what `compute` raises, and TypeError when its value is not JSON.
    """
    source = Source(key, compute, fresh_for, stale_for)
    found = Entry(State.MISS)
    try:
        found = look(cache_store(), key)
        if found.state is State.STALE:
            refresh_behind(source)
        if found.has_value:
            return observed(key, found)
        answer = _await(source, time.monotonic() + wait.total_seconds())
    except StoreAway as error:
        log.warning("cache is away, falling back to the source", key=key, error=str(error))
        answer = None
    except SourceFailed as failed:
        raise failed.error from None
    text, outcome = answer or (_fall_back(source), Outcome.FELL_BACK)
    return observed(key, replace(found, value=decode_value(text), age=timedelta(0), outcome=outcome))


def _fall_back(source: Source) -> str:
    return compute_in_turn(source.key, lambda: encode_value(source.compute()))


def _await(source: Source, deadline: float) -> Answer | None:
    """Return the value once this reader or another has filled the entry; None at the deadline."""
    while True:
        flight, mine = flights.board(source.key)
        if mine:
            try:
                return _fly(source, flight, deadline)
            finally:
                flights.land(flight)
        flight.landed.wait(max(0.0, deadline - time.monotonic()))
        if flight.error:
            raise SourceFailed(flight.error)
        if flight.text is not None:
            return flight.text, Outcome.COALESCED
        if time.monotonic() >= deadline:
            return None


def _fly(source: Source, flight: Flight, deadline: float) -> Answer | None:
    """Compute the value, or wait for the process that does."""
    client = cache_store()
    while True:
        marker = markers.begin(client, source.key)
        if marker:
            return run_and_fill(source, marker, flight), Outcome.COMPUTED
        entry = _watch(source.key, deadline)
        if entry.has_value:
            flight.text = encode_value(entry.value)
            return flight.text, Outcome.COALESCED
        if time.monotonic() >= deadline:
            return None


def _watch(key: str, deadline: float) -> Entry:
    """Return the entry as soon as it has a value or nobody is at it any more, or at the deadline."""
    client = cache_store()
    while True:
        entry = look(client, key)
        if entry.has_value or entry.state is State.MISS or time.monotonic() >= deadline:
            return entry
        time.sleep(POLL_S)
