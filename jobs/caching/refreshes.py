"""Read or compute: one refresher at a time over all processes, and nobody waits for longer than it wants to."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from jobs import names
from jobs.caching import flights, markers
from jobs.caching.behind import refresh_behind
from jobs.caching.entries import Entry, Outcome, State, decode_value, encode_value
from jobs.caching.flights import Flight
from jobs.caching.lookups import find, find_next, name_refresher, observed
from jobs.caching.markers import Busy, Marker, RefreshFailed
from jobs.caching.sources import Source, SourceFailed, run_and_fill
from jobs.caching.turns import compute_in_turn
from jobs.connection import CannotStore, cache_store
from jobs.logs import log


def get_or_refresh(
    key: str,
    compute: Callable[[], Any],
    *,
    fresh_for: timedelta,
    stale_for: timedelta = timedelta(0),
    wait: timedelta = timedelta(seconds=5),
    throttle: timedelta = timedelta(seconds=1),
    max_duration: timedelta = markers.MAX_DURATION,
) -> Entry:
    """Return the entry of `key` with a value, computed by one of all readers of all processes at a time.

    A fresh value is served. A stale one, up to `stale_for` after that, is served too, and refreshed behind the reader;
    if the source fails or hangs then, it goes on being served. A source that failed, or took longer than
    `max_duration`, is left alone for `throttle`. Without a value one reader computes it; the others wait for it, for
    `wait` at most, and then fall back to the source, one of each process for all who wait there, as all do while Redis
    is away: those values are not cached.
    Raises what `compute` raises, RefreshFailed when it did so for another reader less than `throttle` ago, TypeError
    when its value is not JSON, and ValueError for a key of over 500 characters.
    """
    if not names.fits(key):
        message = f"The cache key {key[:50]}… is too long; use {names.LONGEST} characters at most."
        raise ValueError(message)
    source = Source(key, compute, fresh_for, stale_for, throttle, max_duration)
    asked, found = time.monotonic(), Entry(State.MISS)
    try:
        found = find(cache_store(), key)
        if found.state is State.STALE:
            found = _refresh_stale(source, found)
        if not found.has_value:
            found = _await(source, asked + wait.total_seconds())
    except CannotStore as error:
        log.warning("cache is away, falling back to the source", key=key, error=str(error))
    except SourceFailed as failed:
        raise failed.error from None
    return observed(key, found if found.has_value else _fall_back(source, found, asked))


def _refresh_stale(source: Source, found: Entry) -> Entry:
    """Have a stale entry refreshed behind its reader, and return it with who is at it already.

    Of all readers in this process one looks who that is; the others are told what it knows so far.
    """
    flight, mine = flights.board(source.key)
    if not mine:
        return found._replace(state=State.REFRESHING, refreshing_by=flight.by, refreshing_since=flight.since)
    try:
        found = name_refresher(cache_store(), source.key, found)
    except BaseException:
        flights.land(flight)
        raise
    if found.state is State.STALE and not found.failed:
        refresh_behind(source, flight)
    else:
        flights.land(flight)
    return found


def _fall_back(source: Source, found: Entry, asked: float) -> Entry:
    text = compute_in_turn(source.key, lambda: encode_value(source.compute()), asked=asked)
    return _with_value(found, decode_value(text), Outcome.FELL_BACK)


def _await(source: Source, deadline: float) -> Entry:
    """Return the entry once this reader or another has filled it; without a value at the deadline."""
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
            return _with_value(_at_it(flight), decode_value(flight.text), Outcome.COALESCED)
        if time.monotonic() >= deadline:
            return _at_it(flight)


def _fly(source: Source, flight: Flight, deadline: float) -> Entry:
    """Compute the value, or wait for the process that does."""
    client = cache_store()
    while True:
        try:
            begun = markers.begin(client, source.key)
        except RefreshFailed as failed:
            flight.error = failed
            raise SourceFailed(failed) from None
        if isinstance(begun, Marker):
            flight.by = begun.by
            return _with_value(Entry(State.MISS), decode_value(run_and_fill(source, begun, flight)), Outcome.COMPUTED)
        if isinstance(begun, Busy):
            flight.by, flight.since = begun.by, begun.since
            entry = find_next(client, source.key, deadline=deadline)
        else:
            entry = find(client, source.key)
        if entry.has_value:
            flight.text = encode_value(entry.value)
            return _with_value(_at_it(flight), entry.value, Outcome.COALESCED)
        if time.monotonic() >= deadline:
            return _at_it(flight)


def _at_it(flight: Flight) -> Entry:
    state = State.REFRESHING if flight.by else State.MISS
    return Entry(state, refreshing_by=flight.by, refreshing_since=flight.since)


def _with_value(found: Entry, value: Any, outcome: Outcome) -> Entry:
    return found._replace(value=value, age=timedelta(0), outcome=outcome)
