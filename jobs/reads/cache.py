"""The shared cache: its namespaces with their figures, and the entries that are there, in a bounded window."""

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

from jobs import keys
from jobs.caching import namespace_of
from jobs.connection import cache_store
from jobs.reads.cache_entries import CacheEntry, EntryQuestion
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
    page: int
    pages: int


@dataclass(frozen=True, slots=True)
class EntryDetail:
    """An entry, its value as masked text, and how often its key was invalidated."""

    entry: CacheEntry
    text: str
    invalidations: int
    highest_token: str


def read_cache(page: int = 1) -> CachePage:
    """Return the namespaces and one page of entries, in three round trips to the cache's server.

    What is being refreshed is counted among the first WINDOW entries. Raises a member of `jobs.connection.StoreAway`.
    """
    start = Trip(cache_store())
    clock, known = start.ask("time"), start.ask("smembers", keys.CACHE_NAMESPACES)
    held = start.ask("zcard", keys.CACHE_INDEX)
    index = start.ask("zrange", keys.CACHE_INDEX, 0, WINDOW - 1, desc=True)
    start.go()

    found = [line(key) for key in index.value or ()]
    pages = max(1, -(-len(found) // PAGE))
    page = min(max(1, page), pages)
    questions = [EntryQuestion(key, LONGEST_LISTED) for key in found[(page - 1) * PAGE : page * PAGE]]
    second = Trip(cache_store())
    names = sorted(line(name) for name in known.value or ())[:MOST_NAMESPACES]
    counts = [second.ask("hmget", keys.cache_counts(name), *COUNTERS) for name in names]
    markers = [second.ask("exists", keys.refreshing(key)) for key in found]
    for question in questions:
        question.ask_summary(second)
    second.go()

    third = Trip(cache_store())
    for question in questions:
        question.ask_envelope(third)
    third.go()

    now = server_time(clock.value)
    refreshing = Counter(namespace_of(key) for key, marker in zip(found, markers, strict=True) if marker.value)
    return CachePage(
        namespaces=tuple(_namespace(name, each, refreshing[name]) for name, each in zip(names, counts, strict=True)),
        entries=tuple(question.answer(now) for question in questions),
        held=number(held.value),
        searched=len(found),
        page=page,
        pages=pages,
    )


def find_entry(key: str) -> EntryDetail:
    """Return the entry of `key`, also when there is none, in two round trips to the cache's server.

    Raises a member of `jobs.connection.StoreAway`.
    """
    question = EntryQuestion(key, LONGEST_SHOWN)
    start = Trip(cache_store())
    clock, guard = start.ask("time"), start.ask("hmget", keys.cache_guard(key), "token", "invalidations")
    question.ask_summary(start)
    start.go()

    second = Trip(cache_store())
    question.ask_envelope(second)
    second.go()

    entry = question.answer(server_time(clock.value))
    token, invalidations = guard.value or (None, None)
    return EntryDetail(entry, show(entry.value), invalidations=number(invalidations), highest_token=line(token))


def _namespace(name: str, answer: Answer, refreshing: int) -> NamespaceRow:
    counts = {counter: number(value) for counter, value in zip(COUNTERS, answer.value or (), strict=False)}
    took = span_ms(counts.pop("refresh_ms", 0))
    refreshes = counts.get("refreshes", 0)
    mean = took / refreshes if took is not None and refreshes else None
    return NamespaceRow(name=name, refreshing=refreshing, mean_refresh=mean, **(ZEROS | counts))
