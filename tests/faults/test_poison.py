"""Jobs that take their workers with them, and callbacks that fall over: the others go on."""

import json

import pytest
from rq import Callback

from jobs import keys
from jobs.connection import store
from jobs.queue import Queue
from tests import factories
from tests.waiting import eventually

CALLBACKS = "tests.samples.callbacks"


def status(job: str) -> bytes | None:
    return store().hget(keys.job(job), "status")


def test_a_job_that_kills_its_worker_each_time_is_a_dead_letter_and_the_backlog_flows(start):
    (poison,) = factories.enqueue("tests.samples.jobs.kill_worker")
    sound = factories.enqueue(count=20)
    workers = []

    def dead_though_workers_are_replaced() -> bool:
        if not any(worker.is_alive() for worker in workers):
            workers.append(start("rqworker", "mail"))
        return status(poison) == b"failed"

    eventually(dead_though_workers_are_replaced, within=60)
    eventually(lambda: {status(job) for job in sound} == {b"finished"})
    assert len(workers) == 4
    assert store().hmget(keys.job(poison), "m_ended", "m_crashes") == [b"crashed", b"3"]
    attempts = [json.loads(row) for row in store().lrange(keys.attempts(poison), 0, -1)]
    assert [(row["outcome"], row["error"]) for row in attempts] == [
        ("crashed", f"Worker {row['worker']} went silent") for row in attempts
    ]
    assert len({row["worker"] for row in attempts}) == 3


def test_on_failure_runs_for_a_job_whose_horse_was_killed(start):
    job = Queue("mail", connection=store()).enqueue(
        "tests.samples.jobs.die", on_failure=Callback(f"{CALLBACKS}.note_failure")
    )

    start("rqworker", "mail")

    eventually(lambda: status(job.id) == b"failed")
    assert b"SIGKILL" in eventually(lambda: store().get("noted"))


@pytest.mark.parametrize("name", ["echo", "broken", "die"])
def test_callbacks_that_raise_are_their_jobs_end_and_nobody_elses(start, name):
    falls = Callback(f"{CALLBACKS}.fall_over")
    job = Queue("mail", connection=store()).enqueue(f"tests.samples.jobs.{name}", on_success=falls, on_failure=falls)
    (after,) = factories.enqueue()

    worker = start("rqworker", "mail")

    eventually(lambda: status(after) == b"finished")
    eventually(lambda: status(job.id) == b"failed")
    assert worker.is_alive()
    assert store().zcard(keys.started("mail")) == 0


def test_an_exception_handler_that_raises_ends_no_worker(start):
    (job,) = factories.enqueue("tests.samples.jobs.locked_and_broken", report_id=42)
    (after,) = factories.enqueue(factories.LOCKED, report_id=42)

    worker = start("rqworker", "reports", "--worker-class=tests.samples.workers.CarelessWorker")

    eventually(lambda: status(after) == b"finished")
    eventually(lambda: status(job) == b"failed")
    assert worker.is_alive()
    assert store().zcard(keys.started("reports")) == 0
