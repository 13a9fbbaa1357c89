import os
from datetime import timedelta

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from jobs import caching, keys
from jobs.caching import markers
from jobs.connection import forget_connections, store
from tests.waiting import eventually

MINUTE = timedelta(minutes=1)
FLASH = timedelta(milliseconds=1)


def counts(namespace="report"):
    caching.flush_counts()
    return {name.decode(): int(number) for name, number in store().hgetall(keys.cache_counts(namespace)).items()}


def refresh(fresh_for=MINUTE, key="report:42", wait=MINUTE):
    return caching.get_or_refresh(key, lambda: 1, fresh_for=fresh_for, stale_for=MINUTE, wait=wait)


def test_each_read_counts_as_what_it_found():
    refresh()
    refresh()
    caching.read("report:42")

    assert counts().items() >= {"misses": 1, "hits": 2, "refreshes": 1}.items()
    assert b"report" in store().smembers(keys.CACHE_NAMESPACES)


def test_a_fallback_counts_as_a_miss_and_a_fallback():
    markers.begin(store(), "report:42", by="somebody else")

    refresh(wait=timedelta(0))

    assert counts() == {"misses": 1, "fallbacks": 1}


def test_a_refused_refresh_counts_as_refused():
    caching.get_or_refresh("report:42", lambda: caching.invalidate("report:42"), fresh_for=MINUTE)

    assert counts() == {"misses": 1, "refused": 1}


def test_counts_are_written_without_being_asked():
    caching.count("report", hits=1)

    eventually(lambda: store().hget(keys.cache_counts("report"), "hits") == b"1")


def test_counts_wait_for_a_server_that_is_away(redis_away, settings):
    caching.count("report", hits=1)
    with pytest.raises(RedisConnectionError):
        caching.flush_counts()

    settings.MANDOR = {}
    forget_connections()

    assert counts() == {"hits": 1}


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_counts_for_itself():
    caching.count("report", hits=1)
    child = os.fork()
    if child == 0:
        try:
            caching.count("report", hits=10)
            caching.flush_counts()
        finally:
            os._exit(0)
    os.waitpid(child, 0)

    assert counts() == {"hits": 11}
