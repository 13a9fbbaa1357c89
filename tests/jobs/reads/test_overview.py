"""What the Overview adds to the frame and the queues."""

from jobs.reads.overview import read_overview
from jobs.resolutions import MINUTES
from tests.factories import MINUTE, bury, enqueue
from tests.past import remember


def test_the_queue_whose_job_waits_longest_is_named():
    enqueue()

    longest = read_overview().longest_waiting

    assert longest is not None
    assert longest.name == "mail"


def test_a_death_of_the_last_hour_counts():
    bury()

    assert read_overview().died_lately == 1


def test_the_sparklines_are_the_samples_of_the_last_hour():
    remember("", MINUTES, 4 * MINUTE, waiting=5, hits=0, stale=0, misses=0)
    remember("", MINUTES, 2 * MINUTE, waiting=3, hits=3, stale=1, misses=0)

    hour = read_overview().hour

    assert hour.waiting[-3:] == (5, None, 3)
    assert hour.hit_ratio[-3:] == (None, None, 0.75)
    assert len(hour.waiting) == 60


def test_events_come_newest_first():
    bury()
    dead = bury()

    newest = read_overview().events[0]

    assert (newest.what, newest.job_id) == ("dead", dead)
