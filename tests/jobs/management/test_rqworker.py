"""`manage.py rqworker --grace`: how long a worker's job may go on after the worker was told to stop."""

import pytest
from django.core.management import CommandError, call_command

from jobs import keys
from jobs.connection import store
from jobs.enqueueing import enqueue_job
from tests.waiting import eventually


def start_job(path, seconds: float) -> str:
    arguments = {"path": str(path), "seconds": seconds}
    return enqueue_job("tests.samples.jobs.leave_marks_on_billing", arguments).job_id


@pytest.mark.parametrize(
    ("options", "environment"),
    [(["--grace", "0.5"], {"MANDOR_GRACE": "300"}), ([], {"MANDOR_GRACE": "0.5"})],
    ids=["option", "setting"],
)
def test_at_the_end_of_its_grace_a_job_goes_back_with_no_attempt_counted(start_worker, tmp_path, options, environment):
    path = tmp_path / "marks"
    job_id = start_job(path, 300.0)
    worker = start_worker(*options, **environment)
    eventually(path.exists)

    worker.terminate()

    assert worker.wait(30) == 0
    assert store().hmget(keys.job(job_id), "status", "m_failures", "m_crashes") == [b"queued", None, None]
    assert store().lrange(keys.queue("billing"), 0, -1) == [job_id.encode()]


@pytest.mark.parametrize("grace", ["0", "30"])
def test_a_job_that_ends_within_its_grace_is_finished(start_worker, tmp_path, grace):
    path = tmp_path / "marks"
    job_id = start_job(path, 1.5)
    worker = start_worker("--grace", grace, MANDOR_GRACE="0.1")
    eventually(path.exists)

    worker.terminate()

    assert worker.wait(30) == 0
    assert store().hget(keys.job(job_id), "status") == b"finished"


def test_a_worker_of_rqs_own_has_no_grace():
    with pytest.raises(CommandError, match="WORKER_CLASS"):
        call_command("rqworker", "mail", "--grace", "5", "--worker-class", "rq.Worker")


@pytest.mark.parametrize("grace", ["-1", "soon", "nan", "inf"])
def test_a_grace_is_a_number_of_seconds(grace):
    with pytest.raises(CommandError, match="grace"):
        call_command("rqworker", "mail", f"--grace={grace}")
