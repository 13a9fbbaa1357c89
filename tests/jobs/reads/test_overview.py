"""What the Overview adds to the frame and the queues."""

from django.conf import settings

from jobs import history
from jobs.connection import store
from jobs.reads.overview import read_overview
from tests.factories import bury, enqueue


def test_the_queue_whose_job_waits_longest_is_named():
    enqueue()

    longest = read_overview().longest_waiting

    assert longest is not None
    assert longest.name == "mail"


def test_a_death_of_the_last_hour_counts():
    bury()

    assert read_overview().died_lately == 1


def test_the_sparklines_are_the_samples_of_the_last_hour():
    enqueue(count=3)
    history.sample(store(), list(settings.RQ_QUEUES))

    hour = read_overview().hour

    assert hour.waiting == (3,)
    assert hour.dead == (0,)


def test_events_come_newest_first():
    bury()
    dead = bury()

    newest = read_overview().events[0]

    assert (newest.what, newest.job_id) == ("dead", dead)
