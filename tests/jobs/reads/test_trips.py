"""Every read makes as many round trips for thirty rows as for one."""

from collections.abc import Callable

import pytest
from redis.exceptions import ResponseError
from rq import Worker

from jobs import keys
from jobs.connection import store
from jobs.reads.cache import find_entry, read_cache
from jobs.reads.dead_letters import list_dead_letters
from jobs.reads.job import find_job
from jobs.reads.job_lists import JobFilter
from jobs.reads.jobs import list_jobs
from jobs.reads.queue import find_queue
from jobs.reads.queues import list_queues
from jobs.reads.trips import Trip
from jobs.reads.workers import list_workers
from tests.factories import bury, claimant, enqueue, finish, finish_cached, start

READS = {
    "queues": list_queues,
    "a queue": lambda: find_queue("mail"),
    "jobs waiting": lambda: list_jobs(JobFilter(state="waiting")),
    "jobs in flight": lambda: list_jobs(JobFilter(state="in_flight")),
    "jobs finished": lambda: list_jobs(JobFilter(state="finished")),
    "dead letters": lambda: list_dead_letters(JobFilter()),
    "a job": lambda: find_job("known"),
    "workers": list_workers,
    "cache": read_cache,
    "an entry": lambda: find_entry("report:0"),
}


def make(count: int) -> None:
    """Make `count` of everything that the pages list."""
    for n in range(count):
        by = claimant("mail")
        Worker(["mail"], name=by.name, connection=store()).register_birth()
        enqueue()
        start("mail", by=by)
        enqueue()
        finish(start("mail"))
        bury()
        enqueue("tests.samples.jobs.cached", report_id=n)
        finish_cached(start("reports"), "1")
    store().hset(keys.job("known"), mapping={"status": "queued", "origin": "mail"})
    enqueue(count=count)


@pytest.mark.parametrize("name", READS)
def test_a_read_makes_a_fixed_number_of_round_trips(name, monkeypatch):
    made: list[Trip] = []
    go = Trip.go

    def counted(trip: Trip) -> None:
        made.append(trip)
        go(trip)

    monkeypatch.setattr(Trip, "go", counted)

    def count(read: Callable[[], object]) -> int:
        made.clear()
        assert read()
        return len([trip for trip in made if trip.asks_something])

    make(1)
    for_one = count(READS[name])
    make(29)

    assert count(READS[name]) == for_one
    assert for_one <= 5


def test_a_question_that_may_not_be_asked_is_no_empty_answer():
    trip = Trip()
    trip.ask("execute_command", "NO-SUCH-COMMAND")

    with pytest.raises(ResponseError):
        trip.go()
