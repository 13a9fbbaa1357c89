from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from jobs import caching, keys
from jobs.caching import Outcome, State, markers
from jobs.caching.lookups import look
from jobs.caching.markers import Filling
from jobs.connection import store
from tests.waiting import eventually

MINUTE = timedelta(minutes=1)
KEY = "report:42"


def put(value, fresh_for=MINUTE):
    caching.get_or_refresh(KEY, lambda: value, fresh_for=fresh_for, stale_for=MINUTE)


def test_a_key_without_an_entry_is_a_miss():
    entry = caching.read(KEY)

    assert (entry.state, entry.outcome, entry.value, entry.age) == (State.MISS, Outcome.NOTHING, None, None)
    assert not entry.has_value


def test_a_fresh_entry_is_a_hit_also_when_its_value_is_nothing():
    put(None)

    entry = caching.read(KEY)

    assert (entry.state, entry.outcome, entry.value) == (State.HIT, Outcome.SERVED, None)
    assert entry.has_value
    assert timedelta(0) <= entry.age < MINUTE


def test_a_hit_is_one_command():
    put("new")
    caching.read(KEY)
    store().config_resetstat()

    caching.read(KEY)

    assert {name for name in store().info("commandstats") if "config" not in name} == {"cmdstat_mget"}
    assert store().info("commandstats")["cmdstat_mget"]["calls"] == 1


def test_who_is_refreshing_a_missing_entry_and_since_when_is_told():
    markers.begin(store(), KEY, by="job 81f")

    entry = caching.read(KEY)

    assert (entry.state, entry.refreshing_by, entry.has_value) == (State.REFRESHING, "job 81f", False)
    assert entry.refreshing_since


@pytest.mark.parametrize(
    "raw", [b"\xff", b"[]", b"{}", b'{"v":2,"value":1,"at":0,"fresh_until":9}', b'{"v":1,"version":1,"value":1}']
)
def test_an_entry_that_cannot_be_read_is_a_miss(raw):
    store().set(keys.cache(KEY), raw)

    assert caching.read(KEY).state is State.MISS


def test_an_entry_of_a_namespace_that_was_cleared_is_a_miss_also_where_it_still_lies():
    put("old")
    left_over = store().get(keys.cache(KEY))

    assert caching.invalidate_namespace("report") == 1
    store().set(keys.cache(KEY), left_over)

    assert caching.read(KEY).state is State.MISS


def test_an_entry_whose_namespace_lost_its_version_to_eviction_is_a_miss():
    put("old")

    store().delete(keys.cache_version("report"))

    assert caching.read(KEY).state is State.MISS


def test_waiters_are_woken_by_one_token_that_each_puts_back():
    marker = markers.begin(store(), KEY)
    with ThreadPoolExecutor(4) as pool:
        waiters = [pool.submit(caching.wait_for, KEY, wait=MINUTE) for _ in range(4)]
        eventually(lambda: store().info("clients")["blocked_clients"] == 4)

        filling = Filling(KEY, "report", '"new"', MINUTE, MINUTE)
        markers.fill(store(), marker, filling, took=timedelta(0), pin="marker")
        values = [waiter.result().value for waiter in waiters]

    assert values == ["new"] * 4


def test_waiting_ends_with_the_value_or_with_nothing():
    markers.begin(store(), KEY, by="job 81f")
    nothing = caching.wait_for(KEY, wait=timedelta(milliseconds=50))
    store().delete(keys.refreshing(KEY))
    put("new")

    assert (nothing.state, nothing.outcome) == (State.REFRESHING, Outcome.NOTHING)
    assert caching.wait_for(KEY, wait=MINUTE).outcome is Outcome.COALESCED


def test_the_server_decides_what_is_fresh_whatever_the_machine_thinks(monkeypatch):
    put("new")
    monkeypatch.setattr("time.time", lambda: 0.0)

    assert look(store(), KEY).state is State.HIT
