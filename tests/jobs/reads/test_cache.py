"""The cache page: namespaces with their counters, entries with their state."""

import json
from datetime import timedelta

import pytest

from jobs import caching, keys
from jobs.caching.counters import flush_counts
from jobs.connection import cache_store
from jobs.reads.cache import PAGE, find_entry, read_cache
from tests.factories import enqueue, finish_cached, start

CACHED = "tests.samples.jobs.cached"


def fill(report_id: int = 42, value: str = '{"rows": 3, "password": "hunter2"}') -> str:
    enqueue(CACHED, report_id=report_id)
    claim = start("reports")
    finish_cached(claim, value)
    return claim.job_id


def age(key: str, field: str) -> None:
    envelope = json.loads(cache_store().get(keys.cache(key)))
    cache_store().set(keys.cache(key), json.dumps(envelope | {field: 1}))


def test_an_entry_is_fresh_and_names_the_job_that_wrote_it():
    job_id = fill()

    (entry,) = read_cache().entries

    assert (entry.key, entry.state, entry.by) == ("report:42", "hit", job_id)
    assert entry.by_job
    assert entry.stale_until > entry.fresh_until > entry.written


def test_an_entry_past_its_time_is_stale_and_refreshing_once_somebody_is_at_it():
    fill()
    age("report:42", "fresh_until")
    assert read_cache().entries[0].state == "stale"

    enqueue(CACHED, report_id=42)
    claim = start("reports")

    (entry,) = read_cache().entries
    assert (entry.state, entry.refreshing_by) == ("refreshing", claim.job_id)
    assert [(row.name, row.refreshing) for row in read_cache().namespaces] == [("report", 1)]


def test_a_namespace_counts_its_reads():
    caching.read("report:42")
    fill()
    caching.read("report:42")
    flush_counts()

    (namespace,) = read_cache().namespaces

    assert (namespace.name, namespace.hits, namespace.misses, namespace.ratio) == ("report", 1, 1, 0.5)


def test_a_namespace_has_the_mean_time_of_its_refreshes():
    fill()
    caching.count("report", refreshes=2, refresh_ms=3000)
    flush_counts()

    assert read_cache().namespaces[0].mean_refresh == timedelta(seconds=1.5)


def test_a_key_nobody_wrote_is_a_miss():
    assert find_entry("report:1").entry.state == "miss"


def test_the_value_is_shown_masked():
    fill()

    text = find_entry("report:42").text

    assert '"rows": 3' in text
    assert "hunter2" not in text


def test_an_invalidation_is_counted_on_the_entrys_page():
    fill()
    caching.invalidate("report:42")

    assert find_entry("report:42").invalidations == 1


@pytest.mark.parametrize("value", [b"\x80\x04N.", b"not json", b"[1]", b"\xff" * 300_000])
def test_what_is_no_entry_of_ours_is_named_as_such(value):
    cache_store().set(keys.cache("report:1"), value)
    cache_store().zadd(keys.CACHE_INDEX, {"report:1": 1})

    assert read_cache().entries[0].problem
    assert find_entry("report:1").entry.problem


def test_fifty_entries_a_page():
    cache_store().zadd(keys.CACHE_INDEX, {f"report:{n}": n + 1 for n in range(PAGE + 1)})

    assert [entry.key for entry in read_cache(page=2).entries] == ["report:0"]
