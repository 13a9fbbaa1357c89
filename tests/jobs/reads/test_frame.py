"""What stands around every page."""

from datetime import timedelta

import pytest
from rq import Worker

from jobs import caching, locks
from jobs.caching.counters import flush_counts
from jobs.connection import store
from jobs.reads import depths, lock_counts, shared
from jobs.reads.frame import read_frame
from jobs.reads.queues import list_queues
from jobs.reads.tallies import Tally
from tests.factories import LOCKED, MINUTE, bury, enqueue, fail_once, hold, park, start
from tests.waiting import eventually

MILLISECOND = timedelta(milliseconds=1)


def test_it_counts_what_waits_runs_is_held_and_died():
    bury()
    enqueue(LOCKED, report_id=1)
    start()
    hold("invoice:7")
    enqueue(count=2)

    frame = read_frame()

    assert (frame.waiting, frame.in_flight, frame.locks, frame.dead) == (Tally(2), 1, Tally(2), Tally(1))


def test_a_parked_job_is_waiting():
    hold("report:42")
    park()

    assert read_frame().waiting == Tally(1)


def test_of_many_scheduled_jobs_a_glance_tells_fewer_apart_than_a_close_look(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(depths, "WINDOW", 2)
    monkeypatch.setattr(depths, "FEW", 1)
    enqueue(count=3)
    for _ in range(3):
        fail_once(start("mail"), delay=MINUTE)

    glanced = read_frame().scheduled
    with shared.one_page():
        (row,) = (queue for queue in list_queues() if queue.name == "mail")
        looked = read_frame().scheduled

    assert glanced == Tally(2, "≤")
    assert row.counts.scheduled == looked == Tally(1, "≤")


def test_only_workers_that_were_heard_of_lately_count():
    Worker(["mail"], name="web-1", connection=store()).register_birth()

    assert read_frame().workers == 1


def test_a_stuck_lock_is_an_alert_and_the_longest_held_is_the_worst():
    hold("report:1", max_duration=MILLISECOND)
    hold("report:2", max_duration=2 * MILLISECOND)
    hold("report:3")

    alerts = eventually(lambda: found if len(found := read_frame().alerts) == 2 else None)

    assert [alert.resource for alert in alerts] == ["report:1", "report:2"]


def test_a_lock_that_lapsed_does_not_count():
    for resource, longest in (("report:1", MILLISECOND), ("report:2", MINUTE)):
        locks.acquire(resource, holder="ann", lease=100 * MILLISECOND, max_duration=longest)
    hold("report:3")

    frame = eventually(lambda: found if (found := read_frame()).locks == Tally(1) else None)

    assert (frame.stuck, frame.alerts) == (Tally(0), ())


def test_more_locks_than_are_looked_at_are_at_most_that_many(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lock_counts, "MOST", 2)
    for number in range(3):
        hold(f"report:{number}", max_duration=MILLISECOND)

    frame = eventually(lambda: found if len((found := read_frame()).alerts) == 2 and found.stuck.value == 3 else None)

    assert (frame.locks, frame.stuck) == (Tally(3, "≤"), Tally(3, "≤"))


def test_any_number_of_locks_takes_as_many_round_trips_as_none(round_trips: list[int]):
    read_frame()
    for_none = len(round_trips)
    for number in range(30):
        hold(f"report:{number}")
    round_trips.clear()

    read_frame()

    assert len(round_trips) == for_none


def test_the_hit_ratio_is_unknown_before_the_first_read():
    assert read_frame().hit_ratio is None

    caching.read("report:42")
    flush_counts()

    assert read_frame().hit_ratio == 0
