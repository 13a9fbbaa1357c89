"""What stands around every page."""

from datetime import timedelta

from rq import Worker

from jobs import caching
from jobs.caching.counters import flush_counts
from jobs.connection import store
from jobs.reads.frame import read_frame
from jobs.reads.tallies import Tally
from tests.factories import LOCKED, bury, enqueue, hold, park, start
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


def test_only_workers_that_were_heard_of_lately_count():
    Worker(["mail"], name="web-1", connection=store()).register_birth()

    assert read_frame().workers == 1


def test_a_stuck_lock_is_an_alert_and_the_longest_held_is_the_worst():
    hold("report:1", max_duration=MILLISECOND)
    hold("report:2", max_duration=2 * MILLISECOND)
    hold("report:3")

    alerts = eventually(lambda: found if len(found := read_frame().alerts) == 2 else None)

    assert [alert.resource for alert in alerts] == ["report:1", "report:2"]


def test_the_hit_ratio_is_unknown_before_the_first_read():
    assert read_frame().hit_ratio is None

    caching.read("report:42")
    flush_counts()

    assert read_frame().hit_ratio == 0
