"""What a job changes around it, the next job in the same horse finds as it was."""

import json

import pytest

from jobs import keys
from jobs.connection import store
from jobs.queue import Queue
from tests.jobs.conftest import UNTIDY
from tests.waiting import eventually


def test_what_a_job_changes_is_as_before_for_the_next_job_of_the_horse(answer):
    before, horse = answer("look"), answer("mess")

    after = answer("look")

    assert after == before
    assert answer("pid") == horse


def test_a_job_that_fails_is_tidied_up_after_as_well(run, answer):
    before = answer("look")

    assert not run("sleep", seconds="no number").report.done

    assert answer("look") == before


@pytest.mark.parametrize(
    ("leave", "same_horse"),
    [("select_one", True), ("turn_off_autocommit", True), ("leave_transaction", False)],
)
def test_a_job_finds_a_database_that_answers_and_commits(start_worker, leave, same_horse):
    queue = Queue("mail", connection=store())
    left, found = (queue.enqueue(f"{UNTIDY}.{name}") for name in (leave, "select_one"))

    start_worker(MANDOR_ALLOW=f"{UNTIDY}.*")

    eventually(lambda: store().hget(keys.job(found.id), "status") == b"finished")
    before, (answer, commits, after) = (_returned(job) for job in (left, found))
    assert answer == 1 and commits
    assert (after == (before[-1] if isinstance(before, list) else before)) is same_horse


def _returned(job) -> object:
    return json.loads(json.dumps(job.return_value(refresh=True)))
