"""A real worker that is asked to stop."""

from pathlib import Path

import pytest

from jobs import keys
from jobs.connection import store
from jobs.reads.workers import list_workers
from jobs.worker_stops import AlreadyStopping, NoSuchWorker, stop_worker
from tests.factories import enqueue
from tests.waiting import eventually
from tests.worker_processes import StartWorker

LONG = "tests.samples.jobs.leave_marks_on_mail"


def names() -> list[str]:
    return [row.worker.name for row in list_workers().workers]


def test_a_busy_worker_finishes_its_job_and_takes_no_other(start_worker: StartWorker, tmp_path: Path):
    marks = tmp_path / "marks"
    enqueue(LONG, count=2, path=str(marks), seconds=1)
    worker = start_worker()
    eventually(marks.exists)

    stop_worker(names()[0], by="ana")
    with pytest.raises(AlreadyStopping):
        stop_worker(names()[0], by="ana")

    assert list_workers().workers[0].worker.stopping
    assert worker.wait(timeout=20) == 0
    assert marks.read_text().split() == ["began", "ended"]
    assert store().llen(keys.queue("mail")) == 1


def test_an_idle_worker_ends_and_is_then_unknown(start_worker: StartWorker):
    (job_id,) = enqueue()
    worker = start_worker()
    eventually(lambda: store().hget(keys.job(job_id), "status") == b"finished")
    (name,) = names()

    stop_worker(name, by="ana")

    assert worker.wait(timeout=20) == 0
    with pytest.raises(NoSuchWorker):
        stop_worker(name, by="ana")
