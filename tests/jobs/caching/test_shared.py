import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.cache import caches

from jobs import caching, keys
from jobs.connection import store
from tests.conftest import SERVER
from tests.waiting import eventually


@pytest.fixture
def cache(settings):
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
        "shared": {"BACKEND": "jobs.caching.SharedCache", "LOCATION": SERVER.url, "KEY_PREFIX": "mine"},
    }
    return caches["shared"]


def counts():
    caching.flush_counts()
    return {name.decode(): int(number) for name, number in store().hgetall(keys.cache_counts("django:shared")).items()}


def test_values_lie_as_django_stores_them(cache):
    cache.set("number", 7)

    assert store().get("mine:1:number") == b"7"


def test_hits_and_misses_count_under_the_alias(cache):
    cache.set("a", 1)

    assert cache.get("a") == 1
    assert cache.get("b", "default") == "default"
    assert cache.get_many(["a", "b", "c"]) == {"a": 1}

    assert counts() == {"hits": 2, "misses": 3}


def test_hits_and_misses_count_by_the_prefix_of_the_key(cache):
    cache.set("user:1", 1)

    cache.get_many(["user:1", "user:2"])
    caching.flush_counts()

    counted = store().hgetall(keys.cache_counts("django:shared:user"))
    assert counted == {b"hits": b"1", b"misses": b"1"}


def test_a_process_counts_fifty_prefixes_apart_and_no_more(cache):
    for number in range(60):
        cache.get(f"{number}:x")
    caching.flush_counts()

    assert store().scard(keys.CACHE_NAMESPACES) == 51


def test_get_or_set_computes_once_for_all_callers(cache):
    runs, opened = [], threading.Event()

    def compute():
        runs.append(1)
        assert opened.wait(20)
        return {"rows": 3}

    with ThreadPoolExecutor(8) as pool:
        callers = [pool.submit(cache.get_or_set, "report", compute) for _ in range(8)]
        eventually(lambda: runs)
        opened.set()

    assert [caller.result() for caller in callers] == [{"rows": 3}] * 8
    assert runs == [1]
    assert not store().exists(keys.refreshing("django:mine:1:report"))


def test_get_or_set_of_a_source_that_fails_lets_the_next_caller_try(cache):
    with pytest.raises(ZeroDivisionError):
        cache.get_or_set("report", lambda: 1 // 0)

    assert cache.get_or_set("report", lambda: 1) == 1


def test_get_or_set_keeps_what_was_set_meanwhile(cache):
    assert cache.get_or_set("report", lambda: cache.set("report", "set") or "computed") == "set"


def test_get_or_set_takes_a_plain_value_and_works_from_async_code(cache):
    assert cache.get_or_set("a", "plain") == "plain"
    with ThreadPoolExecutor(1) as apart:  # from a browser test's event loop, which outlives it in the main thread
        computed = apart.submit(lambda: asyncio.run(cache.aget_or_set("b", lambda: "computed"))).result()
    assert computed == "computed"


def test_clear_leaves_what_is_not_this_caches(cache):
    store().set("rq:job:1", "job")
    cache.set_many({f"key-{n}": n for n in range(1_200)})

    cache.clear()

    assert [key for key in store().scan_iter() if key.startswith(b"mine:")] == []
    assert store().exists("rq:job:1")
