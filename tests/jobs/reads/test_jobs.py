"""The lists of jobs by state, with their filters and the window they reach."""

import time
from typing import Any

from rq import Queue

from jobs import keys
from jobs.connection import store
from jobs.reads.job_lists import PAGE, JobFilter
from jobs.reads.job_search import read_search
from jobs.reads.job_windows import WINDOW
from jobs.reads.jobs import Jump, list_jobs, look_up
from tests.factories import bury, enqueue, finish, hold, park, see, start
from tests.samples.jobs import echo


def ids(state: str, **narrowed: Any) -> list[str]:
    return [row.id for row in list_jobs(JobFilter(state=state, **narrowed)).rows]


def test_waiting_jobs_come_oldest_first():
    first, second = enqueue(count=2, text="x")

    assert ids("waiting") == [first, second]


def test_a_row_tells_function_arguments_and_attempts():
    enqueue(text="hello")

    (row,) = list_jobs(JobFilter()).rows

    assert row.name == "tests.samples.jobs.echo"
    assert row.arguments == 'text="hello"'
    assert (row.attempt, row.attempts) == (1, 4)


def test_a_parked_job_is_waiting_with_the_lock_it_waits_for():
    hold("report:42")
    parked = park()

    (row,) = list_jobs(JobFilter()).rows

    assert (row.id, row.parked, row.resource) == (parked, True, "report:42")
    assert ids("scheduled") == []


def test_a_job_in_flight_names_its_worker_and_is_alive():
    enqueue(text="x")
    claim = start()

    (row,) = list_jobs(JobFilter(state="in_flight")).rows

    assert (row.id, row.worker, row.verdict, row.long_running) == (claim.job_id, claim.worker, "alive", False)


def test_a_dead_letter_has_its_error_and_what_a_retry_must_name():
    job_id = bury(text="x")

    (row,) = list_jobs(JobFilter(state="dead")).rows

    assert row.error == "ValueError: no such address"
    assert row.seen == str(see(job_id))
    assert row.attempt == row.attempts == 4
    assert row.retryable


def test_a_finished_job_is_listed_until_its_record_expires():
    enqueue(text="x")
    claim = start()
    finish(claim)
    assert ids("finished") == [claim.job_id]

    store().zadd(keys.finished(claim.queue), {claim.job_id: time.time() - 1})

    assert ids("finished") == []


def test_a_list_is_narrowed_by_queue_and_function():
    (job_id,) = enqueue(text="x")
    Queue("reports", connection=store()).enqueue("plain.rq.job")

    assert ids("waiting", queue=echo.queue) == [job_id]
    assert ids("waiting", search=read_search("func:ECHO")) == [job_id]
    assert ids("waiting", search=read_search("func:nothing")) == []


def test_fifty_rows_a_page():
    enqueue(count=PAGE + 1, text="x")

    second = list_jobs(JobFilter(page=2))

    assert (len(second.rows), second.pages, second.first, second.last) == (1, 2, 51, 51)


def test_a_list_says_how_far_it_searched_and_goes_on():
    store().rpush(keys.queue("mail"), *(f"job-{n}" for n in range(WINDOW + 1)))

    newest = list_jobs(JobFilter(queue="mail"))
    rest = list_jobs(JobFilter(queue="mail", start=newest.next_start))

    assert (newest.searched, newest.held, newest.more) == (WINDOW, WINDOW + 1, True)
    assert (rest.searched, rest.more) == (1, False)


def test_a_page_is_full_although_its_jobs_are_all_on_one_of_many_queues():
    store().sadd(keys.QUEUES, *(keys.queue(f"empty-{n}") for n in range(40)))
    enqueue(count=PAGE + 10)

    assert len(list_jobs(JobFilter()).rows) == PAGE


def test_an_exact_name_leads_to_its_job_or_its_lock():
    (job_id,) = enqueue(text="x")
    hold("report:42")

    assert look_up(job_id) == Jump("job", job_id)
    assert look_up("report:42") == Jump("lock", "report:42")
    assert look_up("nothing") is None
