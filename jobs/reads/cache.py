"""The shared cache: its namespaces with their figures, and the entries that are there, in a bounded window."""

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

from jobs import keys
from jobs.caching import BUCKETS_MS, namespace_of
from jobs.conf import conf
from jobs.connection import cache_store
from jobs.names import decoded, exact, written
from jobs.reads.cache_entries import CacheEntry, EntryQuestion
from jobs.reads.cache_queues import Refresher, RefresherQuestion
from jobs.reads.fields import line, number, server_time, span_ms
from jobs.reads.json_text import show
from jobs.reads.trips import Answer, Trip

PAGE = 50
WINDOW = 500
LONGEST_LISTED = 16_384
LONGEST_SHOWN = 262_144
"""Bytes of an envelope that is read: for a row of the list, and for the entry's own page."""
MOST_NAMESPACES = 200
COUNTERS = ("hits", "stale", "misses", "refreshes", "coalesced", "fallbacks", "refused", "failures", "refresh_ms")
BUCKETS = (*(f"le_{limit}" for limit in BUCKETS_MS), "le_inf")
OFTEN = 0.1
"""Of the reads: from here on stale ones are often."""
ZEROS = dict.fromkeys(COUNTERS[:-1], 0)


@dataclass(frozen=True, slots=True)
class NamespaceRow:
    """The lifetime counters of a namespace; ratios and means are None before the first read or refresh."""

    name: str
    hits: int
    stale: int
    misses: int
    refreshes: int
    coalesced: int
    fallbacks: int
    refused: int
    failures: int
    refreshing: int
    mean_refresh: timedelta | None
    p95_refresh: timedelta | None
    refresher: Refresher | None

    @property
    def often_stale(self) -> bool:
        return self.stale > OFTEN * self.reads

    @property
    def reads(self) -> int:
        return self.hits + self.stale + self.misses

    @property
    def ratio(self) -> float | None:
        return self.hits / self.reads if self.reads else None


@dataclass(frozen=True, slots=True)
class CachePage:
    """The namespaces by name, and one page of the entries, those that may be served for longest first."""

    namespaces: tuple[NamespaceRow, ...]
    entries: tuple[CacheEntry, ...]
    held: int
    searched: int
    size: int
    most: int
    page: int
    pages: int


@dataclass(frozen=True, slots=True)
class EntryDetail:
    """An entry, its value as masked text, and how often its key was invalidated."""

    entry: CacheEntry
    text: str
    invalidations: int
    highest_token: str


@dataclass(frozen=True, slots=True)
class NamespaceDetail:
    """A namespace, how many entries it has now, and the queue that refreshes them."""

    name: str
    held: int
    refresher: Refresher | None


def read_cache(page: int = 1) -> CachePage:
    """Return the namespaces and one page of entries, in three round trips.

    What is being refreshed is counted among the first WINDOW entries. Raises a member of `jobs.connection.StoreAway`.
    """
    start = Trip(cache_store())
    clock, known = start.ask("time"), start.ask("smembers", keys.CACHE_NAMESPACES)
    held = start.ask("zcard", keys.CACHE_INDEX)
    size, asked = start.ask("get", keys.CACHE_BYTES), RefresherQuestion()
    asked.ask_heads(start)
    index = start.ask("zrange", keys.CACHE_INDEX, 0, WINDOW - 1, desc=True)
    start.go()

    found = [decoded(key) for key in index.value or ()]
    pages = max(1, -(-len(found) // PAGE))
    page = min(max(1, page), pages)
    questions = [EntryQuestion(key, LONGEST_LISTED) for key in found[(page - 1) * PAGE : page * PAGE]]
    second = Trip(cache_store())
    names = sorted(decoded(name) for name in known.value or ())[:MOST_NAMESPACES]
    counts = [second.ask("hmget", keys.cache_counts(name), *COUNTERS, *BUCKETS) for name in names]
    markers = [second.ask("exists", keys.refreshing(key)) for key in found]
    for question in questions:
        question.ask_summary(second)
    asked.ask_times(second)
    second.go()

    third = Trip(cache_store())
    for question in questions:
        question.ask_envelope(third)
    third.go()

    now, refreshers = server_time(clock.value), asked.answer()
    refreshing = Counter(namespace_of(key) for key, marker in zip(found, markers, strict=True) if marker.value)
    return CachePage(
        namespaces=tuple(
            _namespace(name, each, refreshing[name], refreshers.get(name))
            for name, each in zip(names, counts, strict=True)
        ),
        entries=tuple(question.answer(now) for question in questions),
        held=number(held.value),
        searched=len(found),
        size=number(size.value),
        most=0 if conf().CACHE_URL else conf().CACHE_MAX_BYTES,
        page=page,
        pages=pages,
    )


def count_refreshing() -> int:
    """Return how many of the first WINDOW entries are being refreshed, in two round trips.

    Raises a member of `jobs.connection.StoreAway`.
    """
    first = Trip(cache_store())
    index = first.ask("zrange", keys.CACHE_INDEX, 0, WINDOW - 1, desc=True)
    first.go()
    found = [keys.refreshing(decoded(key)) for key in index.value or ()]
    second = Trip(cache_store())
    refreshing = second.ask("exists", *found) if found else Answer(0)
    second.go()
    return number(refreshing.value)


def find_entry(key: str) -> EntryDetail:
    """Return the entry of `key`, also when there is none, in two round trips to the cache's server.

    `key` is as `names.written` writes it. Raises a member of `jobs.connection.StoreAway`.
    """
    start, name = Trip(cache_store()), exact(key)
    question = EntryQuestion(name, LONGEST_SHOWN)
    clock, guard = start.ask("time"), start.ask("hmget", keys.cache_guard(name), "token", "invalidations")
    question.ask_summary(start)
    start.go()

    second = Trip(cache_store())
    question.ask_envelope(second)
    second.go()

    entry = question.answer(server_time(clock.value))
    token, invalidations = guard.value or (None, None)
    return EntryDetail(entry, show(entry.value), invalidations=number(invalidations), highest_token=line(token))


def find_namespace(name: str) -> NamespaceDetail:
    """Return a namespace with the number of its entries, in two round trips; `name` is as `names.written` writes it.

    Raises a member of `jobs.connection.StoreAway`.
    """
    start = Trip(cache_store())
    clock, asked = start.ask("time"), RefresherQuestion()
    asked.ask_heads(start)
    start.go()
    second = Trip(cache_store())
    asked.ask_times(second)
    held = second.ask("zcount", keys.cache_keys(exact(name)), int(server_time(clock.value).timestamp() * 1000), "+inf")
    second.go()
    return NamespaceDetail(name, number(held.value), asked.answer().get(exact(name)))


def _namespace(name: str, answer: Answer, refreshing: int, refresher: Refresher | None) -> NamespaceRow:
    counts = {counter: number(value) for counter, value in zip(COUNTERS, answer.value or (), strict=False)}
    took = span_ms(counts.pop("refresh_ms", 0))
    refreshes = counts.get("refreshes", 0)
    mean = took / refreshes if took is not None and refreshes else None
    return NamespaceRow(
        name=written(name),
        refreshing=refreshing,
        mean_refresh=mean,
        p95_refresh=_find_p95([number(value) for value in (answer.value or ())[len(COUNTERS) :]]),
        refresher=refresher,
        **(ZEROS | counts),
    )


def _find_p95(buckets: list[int]) -> timedelta | None:
    """Return the time within which 95 of 100 refreshes ended, rounded up to a bucket's; None where none did."""
    total, ended = sum(buckets), 0
    for limit, amount in zip(BUCKETS_MS, buckets, strict=False):
        ended += amount
        if total and ended >= 0.95 * total:
            return timedelta(milliseconds=limit)
    return None
