"""Read an entry with its state: one MGET when it is fresh, one more round trip when it is not."""

import time
from datetime import timedelta
from typing import Any

from redis import Redis

from jobs import keys, scripts
from jobs.caching import clock
from jobs.caching.counters import count
from jobs.caching.entries import Entry, Outcome, State, namespace_of, open_envelope, to_moment
from jobs.connection import cache_store
from jobs.logs import log

PAUSE_S = 0.03
LONGEST_BLOCK_S = 0.5
"""Less than the client's timeout, and how late the end of a killed refresher's lease may be noticed."""
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
    client, deadline = cache_store(), time.monotonic() + wait.total_seconds()
    entry = find(client, key)
    while not entry.has_value and time.monotonic() < deadline:
        entry = find_next(client, key, deadline=deadline)
    if not entry.has_value:
        return logged(key, name_refresher(client, key, entry))
    count(namespace_of(key), coalesced=1)
    return logged(key, entry._replace(outcome=Outcome.COALESCED))


def look(client: Redis, key: str) -> Entry:
    """Return the entry of `key`, and who is refreshing it, without counting or logging it as read."""
    entry = find(client, key)
    return entry if entry.state is State.HIT else name_refresher(client, key, entry)


def find(client: Redis, key: str) -> Entry:
    """Return the entry of `key`: hit, stale or miss, whoever is refreshing it.

    An entry of another version than its namespace's was cleared with that, and is a miss.
    """
    raw, version = scripts.ask(client, "MGET", keys.cache(key), keys.cache_version(namespace_of(key)))
    envelope = open_envelope(raw)
    if envelope is None or version is None or envelope.version != version.decode():
        return Entry(State.MISS)
    now = clock.now_ms(client)
    state = State.HIT if now < envelope.fresh_until else State.STALE
    return Entry(state, envelope.value, timedelta(milliseconds=max(0.0, now - envelope.at)), outcome=Outcome.SERVED)


def find_next(client: Redis, key: str, *, deadline: float) -> Entry:
    """Return the entry of `key` once something happened to it, after half a second, or at the deadline.

    All who wait are woken by one token, which each puts back for the next.
    """
    wake, remaining = keys.cache_wake(key), deadline - time.monotonic()
    within = max(0.001, min(remaining, LONGEST_BLOCK_S))
    woken = scripts.ask(client, "BLMOVE", wake, wake, "LEFT", "RIGHT", f"{within:.3f}")
    entry = find(client, key)
    if woken and not entry.has_value:  # the token lies there for a second, so do not run in circles
        time.sleep(max(0.0, min(PAUSE_S, deadline - time.monotonic())))
    return entry


def name_refresher(client: Redis, key: str, entry: Entry) -> Entry:
    """Return an entry that is not fresh with who is refreshing it, or with what the source failed with just now."""
    by, since, failed = scripts.ask(client, "HMGET", keys.refreshing(key), "by", "since", "failed")
    if failed is not None:
        return entry._replace(failed=_text(failed))
    if since is None:
        return entry
    return entry._replace(state=State.REFRESHING, refreshing_by=_text(by), refreshing_since=to_moment(float(since)))


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
    log.debug("cache read", key=key, state=entry.state, outcome=entry.outcome)
    return entry


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else ""
