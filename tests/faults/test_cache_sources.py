"""Sources that fail or hang, servers that are full or evict: what a reader gets then."""

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from jobs import caching, keys
from jobs.caching import Outcome, RefreshFailed, State
from jobs.connection import store
from tests.waiting import eventually

KEY = "report:42"
MINUTE = timedelta(minutes=1)
FLASH = timedelta(milliseconds=1)


def refresh(compute, *, key=KEY, fresh_for=MINUTE, **more: timedelta):
    return caching.get_or_refresh(key, compute, fresh_for=fresh_for, stale_for=MINUTE, **more)


def make_stale():
    refresh(lambda: "old", fresh_for=FLASH)
    eventually(lambda: caching.read(KEY).state is State.STALE)


@pytest.fixture
def full():
    """Let the server be full and evict nothing."""
    store().config_set("maxmemory", 1)
    yield
    store().config_set("maxmemory", 0)


@pytest.fixture
def evicting():
    """Let the server evict whatever it likes, at the size that it has now and a little more."""
    store().config_set("maxmemory-policy", "allkeys-random")
    yield
    store().config_set("maxmemory", 0)
    store().config_set("maxmemory-policy", "noeviction")


def test_a_source_that_is_down_is_asked_once_a_throttle_while_the_stale_value_is_served():
    make_stale()
    attempts, until = [], time.monotonic() + 1

    def down():
        attempts.append(time.monotonic())
        raise OSError

    with ThreadPoolExecutor(8) as pool:
        while time.monotonic() < until:
            readers = [pool.submit(refresh, down, throttle=timedelta(milliseconds=300)) for _ in range(8)]
            assert {reader.result().value for reader in readers} == {"old"}

    assert 2 <= len(attempts) <= 4
    assert all(later - earlier > 0.29 for earlier, later in itertools.pairwise(attempts))


def test_a_cold_source_that_is_down_is_asked_once_for_all_readers():
    attempts = []

    def down():
        attempts.append(1)
        time.sleep(0.05)
        message = "down"
        raise OSError(message)

    with ThreadPoolExecutor(8) as pool:
        readers = [pool.submit(refresh, down, throttle=MINUTE) for _ in range(40)]
        errors = [reader.exception() for reader in readers]

    told = [error for error in errors if isinstance(error, OSError | RefreshFailed) and "down" in str(error)]
    assert told == errors
    assert len(attempts) == 1


def test_a_source_that_hangs_keeps_nobody_waiting_and_others_may_try():
    make_stale()
    hangs = threading.Event()

    refresh(lambda: hangs.wait(20), max_duration=timedelta(milliseconds=100), throttle=FLASH)

    assert eventually(lambda: refresh(lambda: "new", throttle=FLASH).value == "new")
    hangs.set()
    assert caching.read(KEY).value == "new"


def test_a_cold_source_that_hangs_lets_the_others_go():
    hangs = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(refresh, lambda: hangs.wait(20), max_duration=timedelta(milliseconds=100), throttle=FLASH)
        eventually(lambda: store().exists(keys.refreshing(KEY)))

        assert eventually(lambda: refresh(lambda: "new", throttle=FLASH), unless=RefreshFailed).value == "new"
        hangs.set()


def test_a_full_server_costs_the_cache_and_nothing_else(full):
    entry = refresh(lambda: "from the source")

    assert (entry.value, entry.outcome) == ("from the source", Outcome.FELL_BACK)


def test_readers_survive_a_server_that_evicts(evicting):
    store().config_set("maxmemory", store().info("memory")["used_memory"] + 300_000)

    for number in range(600):
        assert refresh(lambda number=number: [number, "x" * 2_000], key=f"report:{number}").value[0] == number

    assert store().info("stats")["evicted_keys"]
    assert all(refresh(lambda n=n: [n, ""], key=f"report:{n}").value[0] == n for n in range(600))
