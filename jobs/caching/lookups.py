"""Read an entry with its state: one GET when it is fresh, one more round trip when it is not."""

import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

from redis import Redis

from jobs import keys
from jobs.caching import clock
from jobs.caching.counters import count
from jobs.caching.entries import Entry, Outcome, State, namespace_of, open_envelope, to_moment
from jobs.connection import cache_store
from jobs.logs import log

POLL_S = 0.03
COUNTED = {State.HIT: "hits", State.STALE: "stale", State.REFRESHING: "stale"}


def read(key: str) -> Entry:
    """Return the entry of `key` as it is: hit, stale, refreshing or miss. Never computes, never waits.

    Raises a member of StoreAway when the server is away.
    """
    return observed(key, look(cache_store(), key))


def wait_for(key: str, *, wait: timedelta) -> Entry:
    """Return the entry of `key` as soon as it has a value, which another is at; without one after `wait`.

    Raises a member of StoreAway when the server is away.
    """
    deadline = time.monotonic() + wait.total_seconds()
    while True:
        entry = look(cache_store(), key)
        if entry.has_value:
            count(namespace_of(key), coalesced=1)
            return logged(key, replace(entry, outcome=Outcome.COALESCED))
        if time.monotonic() >= deadline:
            return logged(key, entry)
        time.sleep(POLL_S)


def look(client: Redis, key: str) -> Entry:
    """Return the entry of `key` without counting or logging it as read."""
    raw: Any = client.get(keys.cache(key))
    now = clock.now_ms(client)
    envelope = open_envelope(raw)
    if envelope and now < envelope.fresh_until:
        return Entry(State.HIT, envelope.value, _age(envelope.at, now), outcome=Outcome.SERVED)
    by, since = client.hmget(keys.refreshing(key), "by", "since")
    found = Entry(
        State.REFRESHING if since else State.STALE if envelope else State.MISS,
        refreshing_by=_text(by),
        refreshing_since=to_moment(float(since)) if since else None,
    )
    if envelope is None:
        return found
    return replace(found, value=envelope.value, age=_age(envelope.at, now), outcome=Outcome.SERVED)


def observed(key: str, entry: Entry) -> Entry:
    """Count and log a read that has come to its end, and return its entry."""
    served = entry.outcome is Outcome.SERVED
    amounts = {COUNTED[entry.state] if served else "misses": 1}
    if entry.outcome is Outcome.COALESCED:
        amounts["coalesced"] = 1
    if entry.outcome is Outcome.FELL_BACK:
        amounts["fallbacks"] = 1
    count(namespace_of(key), **amounts)
    return logged(key, entry)


def logged(key: str, entry: Entry) -> Entry:
    """Log what a reader got, and return it."""
    log.debug("cache read", key=key, state=entry.state.value, outcome=entry.outcome.value)
    return entry


def _text(value: bytes | str | None) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value or ""


def _age(at: int, now: float) -> timedelta:
    return timedelta(milliseconds=max(0.0, now - at))
