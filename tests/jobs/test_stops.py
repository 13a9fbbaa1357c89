"""Stopping a job by hand: its worker is asked once for the execution that was seen, and files it as stopped."""

import json

import pytest

from jobs import keys
from jobs.connection import store
from jobs.enqueueing import enqueue_job
from jobs.stops import NotStopped, stop_job
from tests import factories
from tests.factories import see
from tests.waiting import eventually


def execution_of(job_id: str) -> str:
    return store().zrange(keys.executions(job_id), 0, 0)[0].decode()


def test_the_worker_is_asked_for_this_execution_and_the_timeline_says_who():
    factories.enqueue()
    claim = factories.start()
    listener = store().pubsub()
    listener.subscribe(keys.worker_commands(claim.worker))
    listener.get_message(timeout=1)

    for _ in range(2):
        stop_job(see(claim.job_id), execution=claim.execution_id, by="ana")

    sent = json.loads(listener.get_message(timeout=1)["data"])
    assert sent == {"command": "stop-execution", "job_id": claim.job_id, "execution_id": claim.execution_id}
    asked = [step for step in store().lrange(keys.timeline(claim.job_id), 0, -1) if b"stop asked" in step]
    assert [json.loads(step)["by"] for step in asked] == ["ana"]
    listener.close()


def test_an_execution_that_is_over_is_not_asked_for():
    factories.enqueue()
    claim = factories.start()
    factories.finish(claim)

    with pytest.raises(NotStopped, match="is over"):
        stop_job(see(claim.job_id), execution=claim.execution_id, by="ana")


def test_a_worker_that_went_silent_is_said_to_be():
    factories.enqueue()
    claim = factories.start()

    with pytest.raises(NotStopped, match="went silent"):
        stop_job(see(claim.job_id), execution=claim.execution_id, by="ana")


def test_a_real_worker_files_it_as_stopped_and_goes_on(start_worker, tmp_path):
    marks = tmp_path / "marks"
    arguments = {"path": str(marks), "seconds": 15.0}
    job_id = enqueue_job("tests.samples.jobs.leave_marks_on_mail", arguments).job_id
    start_worker()
    eventually(marks.exists)

    stop_job(see(job_id), execution=execution_of(job_id), by="ana")

    eventually(lambda: store().hget(keys.job(job_id), "status") == b"stopped")
    assert store().zscore(keys.failed("mail"), job_id)
    (next_id,) = factories.enqueue()
    eventually(lambda: store().hget(keys.job(next_id), "status") == b"finished")
    assert marks.read_text().split() == ["began"]
