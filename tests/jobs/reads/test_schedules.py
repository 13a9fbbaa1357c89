"""RQ's cron jobs and the scheduled jobs, from what RQ itself writes."""

import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rq.cron import CronScheduler

from jobs import keys
from jobs.connection import store
from jobs.reads.cron_jobs import CronRow
from jobs.reads.cron_records import find_call
from jobs.reads.schedules import list_schedules
from tests.samples.jobs import echo, locked

EVERY_HOUR = 3600


def schedule(func: Any = echo.function, name: str = "cron-1", **options: Any) -> CronScheduler:
    """Register a cron job and let its scheduler say that it lives, as RQ's command does."""
    scheduler = CronScheduler(connection=store(), name=name)
    scheduler.register(func, "mail", **({"interval": EVERY_HOUR} | options))
    scheduler.register_birth()
    return scheduler


def only() -> CronRow:
    (row,) = list_schedules().cron
    return row


def test_a_cron_job_says_its_rule_its_queue_and_what_it_calls():
    schedule(cron="*/5 * * * *", interval=None, kwargs={"text": "hi", "token": "abc"})

    row = only()

    assert (row.name, row.function, row.queue) == (*["tests.samples.jobs.echo"] * 2, "mail")
    assert (row.cron, row.every) == ("*/5 * * * *", None)
    assert row.arguments == "text='hi', token='[masked]'"
    assert row.next is not None
    assert datetime.now(UTC) < row.next < datetime.now(UTC) + timedelta(minutes=5)
    assert (row.last, row.outcome, row.problem) == (None, "", "")


def test_a_cron_job_that_ran_says_when_and_how_that_came_out():
    scheduler = schedule()
    scheduler.enqueue_jobs()
    scheduler.save()

    row = only()

    assert row.every == timedelta(hours=1)
    assert row.last is not None
    assert row.outcome == "waiting"
    assert row.next == row.last + timedelta(hours=1) or abs(row.next - row.last - timedelta(hours=1)).seconds < 1
    store().delete(keys.job(row.last_job))
    assert only().outcome == ""


def test_only_registered_jobs_with_keyword_arguments_can_be_run_by_hand():
    schedule(name="a")
    schedule(locked.function, name="b", args=(1,))
    schedule(time.sleep, name="c", kwargs={"seconds": 1})

    assert {row.scheduler: row.runnable for row in list_schedules().cron} == {"a": True, "b": False, "c": False}


def test_arguments_that_are_no_json_are_said_to_be_unreadable():
    schedule(kwargs={"text": object()})

    assert only().arguments is None
    assert not only().runnable


def test_a_cron_job_whose_scheduler_ended_is_run_by_nobody():
    scheduler = schedule()
    scheduler.enqueue_jobs()
    scheduler.register_death()

    row = only()

    assert (row.problem, row.next) == ("no scheduler", None)
    assert row.last is not None


def test_a_scheduler_that_went_silent_runs_nothing():
    schedule()
    store().zadd(keys.CRON_SCHEDULERS, {"cron-1": time.time() - 121})

    assert only().problem == "no scheduler"


@pytest.mark.parametrize(
    ("record", "problem"),
    [("{", "unreadable"), ("[1]", "unreadable"), ("[" * 5000, "unreadable"), ('"x"' * 100_000, "too long")],
)
def test_a_record_that_cannot_be_read_is_said_to_be_so(record: str, problem: str):
    schedule()
    store().hset(keys.cron_scheduler("cron-1"), "cron_jobs", record)

    assert only().problem == problem


def test_whatever_an_entry_holds_it_is_shown():
    entry = {"name": ["x"], "func_name": 7, "queue_name": {}, "args": "{", "interval": "often", "next_enqueue_time": []}
    schedule()
    store().hset(keys.cron_scheduler("cron-1"), "cron_jobs", json.dumps([entry, {}]))

    assert [row.name for row in list_schedules().cron] == ["", ""]


def test_a_call_is_found_only_where_it_was_seen():
    schedule(kwargs={"text": "hi"})

    found = find_call("cron-1", 0, "tests.samples.jobs.echo")

    assert found is not None
    assert (found.function, found.keyword) == ("tests.samples.jobs.echo", {"text": "hi"})
    assert find_call("cron-1", 1, "tests.samples.jobs.echo") is None
    assert find_call("cron-1", 0, "another") is None
    assert find_call("none", 0, "tests.samples.jobs.echo") is None


def test_scheduled_jobs_come_soonest_first_and_parked_ones_are_not_among_them():
    for number, state in enumerate(("", "", "parked", "retrying")):
        job_id = f"job-{number}"
        store().hset(keys.job(job_id), mapping={"status": "scheduled", "m_state": state, "origin": "mail"})
        store().zadd(keys.scheduled("mail"), {job_id: time.time() + 100 - number})

    assert [row.id for row in list_schedules().jobs.rows] == ["job-1", "job-0"]


def test_any_number_of_schedules_takes_as_many_round_trips_as_one(round_trips: list[int]):
    def count(schedules: int) -> int:
        for number in range(schedules):
            schedule(name=f"cron-{schedules}-{number}")
            store().zadd(keys.scheduled("mail"), {f"job-{number}": time.time()})
        round_trips.clear()
        assert len(list_schedules().cron) >= schedules
        return len(round_trips)

    assert count(1) == count(20) <= 7
