import time
from datetime import timedelta

from django.conf import settings
from redis.connection import AbstractConnection

from jobs import caching, durations, keys
from jobs.connection import store
from jobs.reads.metrics import read_metrics
from tests.factories import LOCKED, bury, enqueue, hold, start

MINUTE = timedelta(minutes=1)


def queue(name="mail"):
    return next(row for row in read_metrics().queues if row.name == name)


def test_jobs_count_in_the_queue_and_state_they_are_in():
    bury()
    enqueue(count=2)
    start()

    row = queue()

    assert (row.waiting, row.in_flight, row.dead, row.long_running) == (1, 1, 1, 0)
    assert timedelta(0) <= row.oldest_age < MINUTE
    assert row.counters.enqueued == 3
    assert row.counters.failed == row.counters.retried + 1


def test_a_job_past_its_threshold_is_long_running():
    enqueue()
    claim = start()
    store().hset(keys.job(claim.job_id), "m_slow", 1)
    time.sleep(0.01)

    assert queue().long_running == 1


def test_how_long_attempts_waited_and_ran_falls_into_one_bucket_each():
    durations.note("mail", waited=MINUTE, ran=timedelta(milliseconds=42))
    durations.note("mail", waited=None, ran=timedelta(hours=2))
    durations.flush(store())

    row = queue()

    assert len(row.ran.counts) == len(row.waited.counts) == len(durations.LIMITS_MS) + 1
    assert row.ran.counts[durations.LIMITS_MS.index(50)] == row.ran.counts[-1] == 1
    assert (sum(row.waited.counts), row.waited.total) == (1, MINUTE)


def test_locks_held_and_stuck_and_the_jobs_parked_for_them():
    hold("report:42", max_duration=timedelta(milliseconds=1))
    enqueue(LOCKED, report_id=42)
    try:
        start("reports")
    except AssertionError:
        time.sleep(0.01)

    metrics = read_metrics()

    assert (metrics.locks_held, metrics.locks_stuck) == (1, 1)
    assert queue("reports").parked == 1


def test_reads_of_the_cache_count_by_namespace():
    caching.get_or_refresh("report:42", lambda: 1, fresh_for=MINUTE)
    caching.read("report:43")
    caching.flush_counts()

    (row,) = read_metrics().cache or ()

    assert (row.name, row.hits, row.misses, row.refreshes) == ("report", 0, 2, 1)


def test_namespaces_beyond_the_first_hundred_are_one_row():
    for place in range(103):
        caching.count(f"namespace-{place:03}", hits=2)
    caching.flush_counts()

    rows = read_metrics().cache or ()

    assert len(rows) == 101
    assert (rows[-1].name, rows[-1].hits) == ("other", 6)


def test_the_round_trips_do_not_grow_with_what_is_there(monkeypatch):
    trips = []
    send = AbstractConnection.send_packed_command
    monkeypatch.setattr(
        AbstractConnection, "send_packed_command", lambda self, *a, **o: trips.append(1) or send(self, *a, **o)
    )

    def fill(count: int) -> int:
        enqueue(count=2 * count)
        for number in range(count):
            start()
            hold(f"report:{count}:{number}")
            caching.count(f"namespace-{count}-{number}", hits=1)
        caching.flush_counts()
        trips.clear()
        read_metrics()
        return len(trips)

    assert fill(1) == fill(20) == 7


def test_every_queue_of_the_settings_has_its_figures():
    assert {row.name for row in read_metrics().queues} == set(settings.RQ_QUEUES)
