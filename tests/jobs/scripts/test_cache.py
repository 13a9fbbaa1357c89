"""The cache's scripts alone: every branch, and the same answer when a request is repeated."""

import json
from datetime import timedelta

import pytest

from jobs import caching, keys, scripts
from jobs.connection import store
from tests.waiting import eventually

KEY = "report:42"
FENCE = keys.fence(f"cache:{KEY}")
BEGIN = [keys.cache(KEY), keys.refreshing(KEY), FENCE]
GUARDS = [keys.cache_guard(KEY), keys.cache_version("report")]
FILL = [keys.cache(KEY), keys.cache_guard(KEY), keys.refreshing(KEY), keys.CACHE_INDEX, keys.CACHE_NAMESPACES]


def begin(by="ann", token=""):
    return scripts.run(store(), "cache_begin", BEGIN, [by, 5_000, token, KEY])


def fill(token, generation=None, value='"new"', *, fresh_ms=60_000, pin="token", limit=0):
    generation = generation or generation_now()
    arguments = [KEY, "report", value, token, generation, fresh_ms, 120_000, 'ann "a"', 7, pin, limit]
    return scripts.run(store(), "cache_fill", FILL, arguments)


def renew(token):
    return scripts.run(store(), "cache_renew", [keys.refreshing(KEY)], [token, 5_000])


def give_up(token, failed="", pause_ms=0):
    return scripts.run(store(), "cache_give_up", [keys.refreshing(KEY)], [token, KEY, failed, pause_ms])


def invalidate():
    return scripts.run(store(), "cache_invalidate", [keys.cache_guard(KEY), keys.refreshing(KEY)], [KEY])


def clear():
    return scripts.run(store(), "cache_clear", [keys.cache_version("report"), keys.cache_keys("report")], [])


def generation_now():
    return b"%s/%s" % (store().hget(keys.cache_guard(KEY), "generation"), store().get(keys.cache_version("report")))


def pause_a_millisecond():
    began = store().time()
    eventually(lambda: (store().time()[0], store().time()[1] // 1000) > (began[0], began[1] // 1000))


def value():
    raw = store().get(keys.cache(KEY))
    return json.loads(raw)["value"] if raw else None


def test_begin_hands_the_marker_to_one_at_a_time():
    token, generation = begin("ann")

    assert begin("bob") == [b"", b"ann", store().hget(keys.refreshing(KEY), "since")]
    assert generation == generation_now()
    assert store().hmget(keys.refreshing(KEY), "by", "token", "generation") == [b"ann", token, generation]
    assert 0 < store().pttl(keys.refreshing(KEY)) <= 5_000
    assert set(store().scan_iter()) == {key.encode() for key in (keys.refreshing(KEY), FENCE, *GUARDS)}


def test_begin_repeated_by_the_same_refresher_gives_the_same_token():
    assert begin("ann") == begin("ann")


def test_tokens_only_grow():
    first, _ = begin()
    give_up(first)
    store().delete(FENCE)

    second, _ = begin()

    assert int(second) > int(first)


def test_begin_is_refused_when_the_entry_was_filled_meanwhile_and_granted_once_it_is_stale():
    token, _ = begin()
    fill(token)
    assert begin() == []

    give_up(token)
    store().delete(keys.cache(KEY))
    fill(str(int(token) + 1), fresh_ms=-1)
    assert begin()


def test_the_holder_of_a_lock_takes_the_marker_from_anybody_with_its_own_token():
    begin("ann")

    assert begin("job", token="9000000000000000") == [b"9000000000000000", generation_now()]
    assert store().hget(keys.refreshing(KEY), "by") == b"job"


def test_fill_writes_the_envelope_and_ends_the_refresh():
    token, generation = begin()

    assert fill(token, generation, value='{"rows":[1,2]}', pin="marker") == 1

    entry = json.loads(store().get(keys.cache(KEY)))
    assert entry.items() >= {"v": 1, "value": {"rows": [1, 2]}, "token": int(token), "by": 'ann "a"', "took": 7}.items()
    assert (entry["fresh_until"] - entry["at"], entry["stale_until"] - entry["at"]) == (60_000, 120_000)
    assert 119_000 < store().pttl(keys.cache(KEY)) <= 120_000
    assert store().hget(keys.cache_guard(KEY), "token") == token
    assert store().zscore(keys.CACHE_INDEX, KEY) == entry["stale_until"]
    assert store().smembers(keys.CACHE_NAMESPACES) == {b"report"}
    assert not store().exists(keys.refreshing(KEY))


def test_fill_repeated_because_its_answer_was_lost_is_written_once():
    token, generation = begin()
    fill(token, generation, value='"new"', pin="marker")

    assert fill(token, generation, value='"other"', pin="marker") == 1
    assert value() == "new"


def test_fill_with_an_old_token_is_refused():
    old, generation = begin()
    give_up(old)
    new, _ = begin()
    fill(new, value='"newer"')

    assert fill(old, generation) == 0
    assert value() == "newer"


def test_fill_from_before_an_invalidation_is_refused():
    token, generation = begin()
    invalidate()

    assert fill(token, generation) == 0
    assert value() is None


def test_fill_pinned_to_its_marker_is_refused_once_that_is_gone():
    token, generation = begin()
    give_up(token)

    assert fill(token, generation, pin="marker") == 0
    assert fill(token, generation, pin="token") == 1


@pytest.mark.parametrize("token", ["", "nonsense"])
def test_fill_without_a_token_is_refused(token):
    begin()

    assert fill(token) == 0
    assert value() is None


def test_renew_and_give_up_touch_only_the_marker_of_their_token():
    token, _ = begin()

    assert renew("1") == give_up("1") == 0
    assert renew(token) == give_up(token) == 1
    assert renew(token) == give_up(token) == 0


def test_invalidate_takes_entry_marker_and_index_away_and_raises_the_generation():
    fill(begin()[0])
    _, before = begin("late", token="9000000000000000")

    assert invalidate() == 1
    assert invalidate() == 2
    assert not store().exists(keys.cache(KEY), keys.refreshing(KEY), keys.CACHE_INDEX, keys.cache_keys("report"))
    assert begin()[1] > before


def test_clear_ends_every_entry_of_the_namespace_and_refuses_who_began_before():
    fill(begin()[0])
    late, before = begin("late", token="9000000000000000")

    assert clear() == 1
    assert clear() == 0
    assert fill(late, before) == 0
    assert not store().exists(keys.cache(KEY), keys.CACHE_INDEX, keys.cache_keys("report"))


def test_what_an_evicting_server_lost_lets_nobody_fill_and_shows_nothing_old():
    token, before = begin()
    invalidate()
    store().delete(*GUARDS)

    assert fill(token, before) == 0
    assert fill(begin("bob")[0]) == 1
    store().delete(keys.cache_version("report"))
    assert begin("eve")[0]


def test_a_source_that_failed_is_left_alone_for_a_while():
    token, _ = begin()

    assert give_up(token, failed="OSError: away", pause_ms=60_000) == 1
    assert begin("bob")[3] == b"OSError: away"
    assert renew(token) == 0
    assert begin("job", token="9000000000000000")[0] == b"9000000000000000"
    assert not store().hexists(keys.refreshing(KEY), "failed")


def test_the_end_of_a_refresh_wakes_who_waits():
    give_up(begin()[0])

    assert store().lrange(keys.cache_wake(KEY), 0, -1) == [b"1"]
    assert 0 < store().pttl(keys.cache_wake(KEY)) <= 1000


def test_the_oldest_entries_make_room_for_a_new_one():
    token, _ = begin()
    for number in range(3):
        caching.get_or_refresh(f"other:{number}", lambda: "x" * 300, fresh_for=timedelta(minutes=1))
        pause_a_millisecond()
    room = int(store().get(keys.CACHE_BYTES))

    assert fill(token, value=f'"{"y" * 200}"', limit=room) == 1
    assert [store().exists(keys.cache(f"other:{number}")) for number in range(3)] == [0, 1, 1]
    assert 0 < int(store().get(keys.CACHE_BYTES)) <= room
    assert int(store().get(keys.CACHE_BYTES)) == sum(map(int, store().hvals(keys.CACHE_SIZES)))


def test_a_value_larger_than_all_may_be_is_refused_and_drops_nothing():
    assert fill(begin()[0], value=f'"{"y" * 300}"', limit=300) == 0
    assert not store().exists(keys.cache(KEY))


def test_entries_that_ended_are_no_longer_accounted():
    fill(begin()[0], limit=10_000)
    store().zadd(keys.CACHE_INDEX, {KEY: 1})

    caching.get_or_refresh("other:1", lambda: 1, fresh_for=timedelta(minutes=1))

    assert store().hkeys(keys.CACHE_SIZES) == [b"other:1"]
    assert store().zrange(keys.CACHE_INDEX, 0, -1) == [b"other:1"]
