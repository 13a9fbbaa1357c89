"""The history: a sample each ten seconds, minutes and hours made from them once, gaps left open, all of it bounded."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.conf import settings
from redis.exceptions import ResponseError

from jobs import caching, durations, history, keys
from jobs.connection import forget_connections, store
from jobs.durations import PLACES
from jobs.history.readings import Reading
from jobs.history.sampling import add_readings
from jobs.resolutions import FINE, HOURS, MINUTES, RESOLUTIONS, Resolution
from tests import factories
from tests.past import server_now, start_of

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
MIDNIGHT = start_of(server_now()).replace(hour=0, minute=0, second=0)


def sample() -> None:
    history.sample(store(), list(settings.RQ_QUEUES))


def add(
    at: timedelta, *, counters: dict[str, int] | None = None, spans: dict[int, int] | None = None, **gauges: int
) -> None:
    """Add a sample of mail, as if the ten seconds began `at` after midnight."""
    places = {str(place): count for place, count in (spans or {}).items()}
    at_ms = int((MIDNIGHT + at).timestamp() * 1000)
    list(add_readings(store(), {"mail": Reading(gauges, counters or {}, places)}, at_ms))


def buckets(resolution: Resolution, queue: str = "mail", kind=keys.history) -> dict[timedelta, dict[str, int]]:
    """Return the buckets by the time after midnight."""
    return {
        timedelta(milliseconds=int(entry.partition(b"-")[0])) - timedelta(seconds=MIDNIGHT.timestamp()): {
            name.decode(): int(value) for name, value in fields.items() if name != b"over"
        }
        for entry, fields in store().xrange(kind(resolution.name, queue))
    }


def newest(queue: str) -> dict[str, int]:
    ((_, fields),) = store().xrevrange(keys.history(FINE.name, queue), count=1)
    return {name.decode(): int(value) for name, value in fields.items()}


def test_each_queue_and_the_whole_are_sampled_once_in_ten_seconds():
    factories.enqueue(count=2)
    factories.bury()
    factories.hold("report:42")
    factories.park()

    sample()
    sample()

    assert newest("mail") == {"waiting": 2, "oldest": 0, "in_flight": 0, "dead": 1}
    assert newest("reports")["waiting"] == 1
    assert newest("") == {
        "waiting": 3, "oldest": 0, "in_flight": 0, "dead": 1, "locks": 1, "waited_for": 1, "workers": 0
    }  # fmt: skip
    assert store().xlen(keys.history(FINE.name, "mail")) == 1


def test_many_at_once_write_each_bucket_once():
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: sample(), range(16)))

    assert store().xlen(keys.history(FINE.name, "mail")) <= 2
    assert store().xlen(keys.history(FINE.name, "mail")) == store().xlen(keys.history(FINE.name, ""))


def test_what_ended_between_two_samples_is_counted_with_the_time_between_them():
    sample()
    factories.enqueue(count=2)
    factories.finish(factories.start())
    durations.note("mail", waited=SECOND, ran=MINUTE)
    durations.flush(store())
    caching.count("report", hits=3)
    caching.flush_counts()

    for key in (*store().scan_iter(f"{keys.history(FINE.name)}*"), *store().scan_iter(f"{keys.durations(FINE.name)}*")):
        store().delete(key)
    sample()

    mail, whole = newest("mail"), newest("")
    assert (mail["finished"], mail["failed"]) == (1, 0)
    assert 0 < mail["over"] < 20_000
    assert (whole["finished"], whole["hits"], whole["misses"]) == (1, 3, 0)
    places = {str(PLACES.index("waited_le_1000")): 1, str(PLACES.index("ran_le_70000")): 1}
    for queue in ("mail", ""):
        ((_, spans),) = store().xrange(keys.durations(FINE.name, queue))
        assert {name.decode(): int(count) for name, count in spans.items()} == places


def test_a_minute_is_made_once_it_is_over_of_the_highest_gauges_and_the_sum_of_what_was_counted():
    for place, waiting in enumerate((3, 9, 4)):
        add(place * 10 * SECOND, waiting=waiting, counters={"finished": 5 * place}, spans={1: place})
    assert buckets(MINUTES) == {}

    add(MINUTE, waiting=1, counters={"finished": 10}, spans={1: 2})

    assert buckets(MINUTES) == {timedelta(0): {"waiting": 9, "finished": 10}}
    assert buckets(MINUTES, kind=keys.durations) == {timedelta(0): {"1": 2}}
    assert list(buckets(FINE)) == [timedelta(0), 10 * SECOND, 20 * SECOND, MINUTE]


def test_an_hour_is_made_of_its_minutes():
    for minutes in (0, 30, 59, 60, 61):
        add(minutes * MINUTE, waiting=minutes)

    assert buckets(HOURS) == {timedelta(0): {"waiting": 59}}


def test_a_gap_stays_a_gap_and_what_was_before_it_is_not_lost():
    add(10 * SECOND, waiting=7)

    add(3 * HOUR, waiting=1)

    assert buckets(MINUTES) == {timedelta(0): {"waiting": 7}}
    assert buckets(HOURS) == {timedelta(0): {"waiting": 7}}


def test_a_late_or_repeated_sample_changes_nothing():
    """A leader that was replaced while it took its sample."""
    add(50 * SECOND, waiting=1)
    add(MINUTE, waiting=2)
    before = {key: store().dump(key) for key in store().scan_iter()}

    add(MINUTE, waiting=9)
    add(50 * SECOND, waiting=9)

    assert {key: store().dump(key) for key in store().scan_iter()} == before


def test_what_was_counted_is_unknown_after_a_gap_and_where_a_counter_began_anew():
    add(timedelta(0), counters={"finished": 5, "failed": 5}, spans={1: 5}, waiting=0)
    add(10 * SECOND, counters={"finished": 6, "failed": 2}, spans={1: 3, 2: 1}, waiting=0)
    long_ago = json.loads(store().get(keys.sampled("mail")))
    store().set(keys.sampled("mail"), json.dumps(long_ago | {"at": long_ago["at"] - 61_000}))
    add(20 * SECOND, counters={"finished": 9, "failed": 9}, spans={1: 9}, waiting=0)

    assert buckets(FINE) == {
        timedelta(0): {"waiting": 0},
        10 * SECOND: {"waiting": 0, "finished": 1},
        20 * SECOND: {"waiting": 0},
    }
    assert buckets(FINE, kind=keys.durations) == {10 * SECOND: {"2": 1}}


def test_a_counter_that_was_not_known_does_not_start_with_all_it_ever_counted():
    add(timedelta(0), counters={"finished": 0}, waiting=0)
    add(10 * SECOND, counters={"finished": 0, "hits": 1_000}, waiting=0)

    assert buckets(FINE)[10 * SECOND] == {"waiting": 0, "finished": 0}


def test_it_keeps_an_hour_a_day_and_thirty_days_in_two_megabytes_a_queue():
    """At the worst: every bucket of durations counts in every step of every resolution."""
    crowd = {str(place): 5_000 for place in range(len(PLACES))}
    empty = store().info("memory")["used_memory"]
    figures = {"waiting": 90_000, "oldest": 90_000, "in_flight": 900, "dead": 90_000, "finished": 90_000, "failed": 90}
    for resolution in RESOLUTIONS:
        pipe = store().pipeline()
        for place in range(resolution.kept + 5):
            at = int((place * resolution.step).total_seconds() * 1000) + 1
            pipe.xadd(keys.history(resolution.name, "mail"), figures | {"over": 60_000}, id=f"{at}-0")
            pipe.xadd(keys.durations(resolution.name, "mail"), crowd, id=f"{at}-0")
        pipe.execute()

    add(HOUR - 10 * SECOND, waiting=1, spans=dict.fromkeys(range(len(PLACES)), 1))
    add(HOUR, waiting=1)

    sizes = [store().xlen(keys.history(resolution.name, "mail")) for resolution in RESOLUTIONS]
    used = store().info("memory")["used_memory"] - empty  # MEMORY USAGE of Redis 6.2 counts what a stream gave back
    assert sizes == [resolution.kept for resolution in RESOLUTIONS]
    assert used <= 2 * 1024 * 1024


def test_a_queue_that_is_gone_takes_its_past_with_it():
    add(timedelta(0), waiting=1, counters={"finished": 1}, spans={1: 1})
    add(2 * HOUR, waiting=1, counters={"finished": 2}, spans={1: 2})

    assert all(0 < store().pttl(key) <= HOURS.span / timedelta(milliseconds=1) for key in store().scan_iter())


def test_a_name_that_must_be_spelled_has_its_own_past():
    odd = "a\\x20b\n"
    store().rpush(keys.queue(odd), "job")

    history.sample(store(), [odd])

    assert newest(odd)["waiting"] == 1


def test_a_queue_with_a_broken_key_keeps_no_other_from_its_sample():
    store().set(keys.history(FINE.name, "billing"), "no stream")
    store().set(keys.sampled("mail"), "{nope")

    with pytest.raises(ResponseError):
        sample()

    assert newest("mail")["waiting"] == newest("")["waiting"] == 0


def test_a_cache_server_that_is_away_leaves_its_reads_unknown(settings):
    settings.MANDOR = {"CACHE_URL": "unix:///nowhere.sock"}
    forget_connections()

    sample()

    assert "hits" not in json.loads(store().get(keys.sampled()))["counters"]
    forget_connections()
