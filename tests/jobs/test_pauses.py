"""Pausing a queue and resuming it."""

from datetime import timedelta
from pathlib import Path

import pytest

from jobs import claims, keys, locks, pauses
from jobs.connection import store
from jobs.reads.queue import find_queue
from tests.factories import claimant, enqueue, hold, park, start
from tests.waiting import eventually
from tests.worker_processes import StartWorker

SAMPLES = "tests.samples.jobs"


def take(*queues: str) -> claims.Claim | None:
    return claims.claim_next(store(), claimant(*queues), claims.Request()).claim


def test_a_paused_queue_gives_no_job_and_says_by_whom_since_when():
    enqueue()

    pauses.pause_queue("mail", by="ana")

    assert take("mail") is None
    detail = find_queue("mail")
    assert detail is not None
    assert (detail.row.paused, detail.row.paused_by) == (True, "ana")
    assert detail.row.paused_at is not None


def test_a_resumed_queue_gives_its_jobs_and_wakes_a_worker_for_each():
    enqueue(count=3)
    store().delete(keys.wake("mail"))
    pauses.pause_queue("mail", by="ana")

    pauses.resume_queue("mail", by="bob")

    assert store().llen(keys.wake("mail")) == 3
    assert take("mail") is not None


def test_who_paused_first_stands():
    pauses.pause_queue("mail", by="ana")
    pauses.pause_queue("mail", by="ana")

    with pytest.raises(pauses.AlreadySo):
        pauses.pause_queue("mail", by="bob")

    assert store().hget(keys.paused("mail"), "by") == b"ana"


def test_a_queue_that_is_not_paused_cannot_be_resumed():
    with pytest.raises(pauses.AlreadySo):
        pauses.resume_queue("mail", by="ana")


def test_a_queue_nobody_knows_cannot_be_paused():
    with pytest.raises(pauses.UnknownQueue):
        pauses.pause_queue("none", by="ana")

    assert not store().exists(keys.paused("none"))


def test_a_parked_job_that_was_passed_over_is_woken_at_the_resume():
    lease = hold("report:42")
    job_id = park()
    pauses.pause_queue("reports", by="ana")
    locks.release(lease)
    assert store().llen(keys.queue("reports")) == 0

    pauses.resume_queue("reports", by="ana")

    assert start("reports").job_id == job_id


def test_a_parked_job_whose_resource_is_held_stays_parked_at_the_resume():
    hold("report:42")
    park()
    pauses.pause_queue("reports", by="ana")

    pauses.resume_queue("reports", by="ana")

    assert take("reports") is None


def test_of_many_parked_jobs_every_free_resource_gets_its_first(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pauses, "SPAN", 2)
    for number in range(3):
        hold(f"report:{number}")
        park(f"report:{number}", number)
        park(f"report:{number}", number)
    pauses.pause_queue("reports", by="ana")
    for number in (0, 2):
        store().delete(keys.lock(f"report:{number}"))

    pauses.resume_queue("reports", by="ana")

    assert store().llen(keys.queue("reports")) == 2


def test_a_worker_takes_nothing_of_a_paused_queue_and_is_at_it_once_resumed(start_worker: StartWorker, tmp_path: Path):
    marks, lease = tmp_path / "marks", hold("report:42", max_duration=timedelta(minutes=5))
    park()
    pauses.pause_queue("mail", by="ana")
    pauses.pause_queue("reports", by="ana")
    locks.release(lease)
    enqueue(f"{SAMPLES}.leave_marks_on_mail", path=str(marks), seconds=0)
    (witness,) = enqueue(f"{SAMPLES}.leave_marks_on_billing", path=str(tmp_path / "other"), seconds=0)
    start_worker()
    eventually(lambda: store().hget(keys.job(witness), "status") == b"finished")
    assert not marks.exists()

    pauses.resume_queue("mail", by="ana")
    pauses.resume_queue("reports", by="ana")

    eventually(lambda: store().hget(keys.counts("mail"), "finished") == b"1")
    eventually(lambda: store().hget(keys.counts("reports"), "finished") == b"1")
