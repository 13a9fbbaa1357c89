import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from jobs import caching, keys
from jobs.caching import Outcome, RefreshFailed, State, markers
from jobs.connection import store
from tests.waiting import eventually

MINUTE = timedelta(minutes=1)
NOW = timedelta(0)
FLASH = timedelta(milliseconds=1)
KEY = "report:42"


def refresh(compute, key=KEY, fresh_for=MINUTE, stale_for=MINUTE, wait=MINUTE, **more: timedelta):
    return caching.get_or_refresh(key, compute, fresh_for=fresh_for, stale_for=stale_for, wait=wait, **more)


def make_stale(value):
    refresh(lambda: value, fresh_for=FLASH)
    eventually(lambda: caching.read(KEY).state is State.STALE)


class Gate:
    """A source that waits to be opened, and says when it was entered."""

    def __init__(self, value="new"):
        self.value = value
        self.entered = threading.Event()
        self.opened = threading.Event()
        self.runs = 0

    def __call__(self):
        self.runs += 1
        self.entered.set()
        assert self.opened.wait(20)
        return self.value


def test_the_first_reader_computes_and_the_next_is_served():
    first = refresh(lambda: {"rows": 3})
    second = refresh(lambda: pytest.fail("computed twice"))

    assert (first.state, first.outcome, first.value) == (State.MISS, Outcome.COMPUTED, {"rows": 3})
    assert (second.state, second.outcome, second.value) == (State.HIT, Outcome.SERVED, {"rows": 3})


def test_every_reader_gets_the_value_as_json_gives_it_back():
    first = refresh(lambda: {1: (2, 3)})

    assert first.value == refresh(None).value == {"1": [2, 3]}


def test_a_value_that_is_not_json_is_an_error_that_names_the_cause():
    with pytest.raises(TypeError, match="set cannot be cached.*not JSON serializable"):
        refresh(lambda: {1, 2})

    assert caching.read(KEY).state is State.MISS


def test_a_key_that_no_page_could_carry_is_refused():
    with pytest.raises(ValueError, match="500 characters at most"):
        refresh(lambda: 1, key="report:" + "\n" * 200)


def test_a_reader_waits_no_longer_than_it_wants_and_falls_back_to_the_source():
    markers.begin(store(), KEY, by="somebody else")

    entry = refresh(lambda: "from the source", wait=timedelta(milliseconds=50))

    assert (entry.state, entry.outcome, entry.value) == (State.REFRESHING, Outcome.FELL_BACK, "from the source")
    assert entry.refreshing_by == "somebody else"
    assert not store().exists(keys.cache(KEY))


def test_a_stale_value_is_served_at_once_and_refreshed_by_one_behind_the_readers():
    make_stale("old")
    source = Gate()

    with ThreadPoolExecutor(8) as pool:
        entries = list(pool.map(lambda _: refresh(source), range(16)))
    assert source.entered.wait(20)
    during = caching.read(KEY)
    source.opened.set()

    assert {(entry.value, entry.outcome) for entry in entries} == {("old", Outcome.SERVED)}
    assert (during.state, during.value) == (State.REFRESHING, "old")
    assert during.refreshing_by and during.refreshing_since
    assert eventually(lambda: caching.read(KEY).state is State.HIT)
    assert (caching.read(KEY).value, source.runs) == ("new", 1)


def test_a_stale_value_goes_on_being_served_while_the_source_fails():
    make_stale("old")

    def fail():
        raise OSError

    def failed():
        entry = refresh(fail)
        caching.flush_counts()
        return entry.value == "old" and store().hget(keys.cache_counts("report"), "failures")

    assert eventually(failed)
    assert refresh(fail).value == "old"


def test_an_error_of_a_cold_source_is_shared_and_the_source_is_left_alone_for_a_moment():
    source = Gate()

    def fail():
        source()
        message = "away"
        raise OSError(message)

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(refresh, fail) for _ in range(4)]
        assert source.entered.wait(20)
        source.opened.set()

    assert all(isinstance(reader.exception(), OSError | RefreshFailed) for reader in readers)
    with pytest.raises(RefreshFailed, match="OSError: away"):
        refresh(fail)
    assert source.runs == 1
    assert eventually(lambda: refresh(lambda: "well again"), unless=RefreshFailed).value == "well again"


def test_what_was_computed_before_an_invalidation_never_becomes_visible():
    source = Gate("old")
    with ThreadPoolExecutor(2) as pool:
        early = pool.submit(refresh, source)
        assert source.entered.wait(20)
        late = pool.submit(lambda: (caching.invalidate(KEY), refresh(lambda: "new"))[1])
        eventually(lambda: store().hget(keys.cache_guard(KEY), "invalidations") == b"1")

        source.opened.set()

    assert early.result().value == "old"
    assert late.result().value == "new"
    assert caching.read(KEY).value == "new"


def test_a_source_that_fails_while_a_stale_value_is_served_is_tried_once_a_throttle():
    make_stale("old")
    runs = []

    def fail():
        runs.append(1)
        raise OSError

    refresh(fail, throttle=MINUTE)
    failed = eventually(lambda: caching.read(KEY).failed)
    for _ in range(20):
        assert refresh(fail, throttle=MINUTE).value == "old"

    assert (failed, len(runs)) == ("OSError: ", 1)


def test_a_hanging_source_loses_its_marker_and_the_stale_value_is_served():
    make_stale("old")
    hanging = Gate("too late")

    refresh(hanging, max_duration=FLASH, throttle=FLASH)
    assert eventually(lambda: refresh(lambda: "new", throttle=FLASH).value == "new")
    hanging.opened.set()

    assert caching.read(KEY).value == "new"


def test_readers_that_fall_back_together_run_the_source_once():
    markers.begin(store(), KEY, by="somebody else")
    source = Gate("from the source")

    with ThreadPoolExecutor(8) as pool:
        readers = [pool.submit(refresh, source, wait=timedelta(milliseconds=100)) for _ in range(8)]
        assert source.entered.wait(20)
        source.opened.set()

    assert {(reader.result().value, reader.result().outcome) for reader in readers} == {
        ("from the source", Outcome.FELL_BACK)
    }
    assert source.runs == 1


def test_a_refresher_whose_marker_was_taken_over_fills_nothing():
    source = Gate("late")
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(refresh, source)
        assert source.entered.wait(20)
        store().delete(keys.refreshing(KEY))
        assert markers.begin(store(), KEY, by="the next one")

        source.opened.set()

    assert (slow.result().value, slow.result().outcome) == ("late", Outcome.COMPUTED)
    assert not store().exists(keys.cache(KEY))
    assert store().hget(keys.refreshing(KEY), "by") == b"the next one"


def test_the_marker_is_renewed_for_as_long_as_the_source_takes():
    marker = markers.begin(store(), KEY, lease=timedelta(milliseconds=150))
    began = time.monotonic()

    with markers.kept(store(), marker, lease=timedelta(milliseconds=150)):
        eventually(lambda: time.monotonic() - began > 0.5)

    assert markers.renew(store(), marker)


def test_readers_fall_back_to_the_source_one_at_a_time_while_redis_is_away(redis_away):
    running, most = [], []

    def compute():
        running.append(1)
        most.append(len(running))
        time.sleep(0.02)
        running.pop()
        return "from the source"

    with ThreadPoolExecutor(8) as pool:
        entries = list(pool.map(lambda _: refresh(compute), range(8)))

    assert {(entry.value, entry.outcome) for entry in entries} == {("from the source", Outcome.FELL_BACK)}
    assert max(most) == 1
    with pytest.raises(RedisConnectionError):
        caching.read(KEY)


def test_a_source_that_uses_redis_itself_is_not_run_again_when_that_fails():
    source = Gate()
    source.opened.set()

    def fail():
        source()
        raise RedisConnectionError

    with pytest.raises(RedisConnectionError):
        refresh(fail)

    assert source.runs == 1
