"""How a worker gets its jobs: one request until it is answered, and the next job with the end of the one before."""

from typing import Any

import pytest

from jobs import keys, scripts
from jobs.claims import Claim, Superseded
from jobs.connection import store
from tests import factories


def finish(worker, claim: Claim, *, last: bool = False) -> Any:
    return worker.intake.finish(claim, result=b'"done"', filling=None, last=last)


@pytest.fixture
def trips(monkeypatch) -> list[int]:
    """The round trips made, each with how many scripts went along."""
    made: list[int] = []
    run_all = scripts.run_all
    monkeypatch.setattr(scripts, "run_all", lambda client, calls: made.append(len(calls)) or run_all(client, calls))
    return made


def test_no_job_waits(worker):
    assert worker.intake.claim() is None


def test_the_end_of_a_job_brings_the_next_in_the_same_round_trip(worker, trips):
    first, second = factories.enqueue(count=2)
    claim = worker.intake.claim()
    trips.clear()

    finish(worker, claim)
    following = worker.intake.claim()

    assert trips == [2]
    assert [claim.job_id, following.job_id] == [first, second]
    assert worker.intake.claim() is None


@pytest.mark.parametrize("why", ["last", "stopping"])
def test_a_worker_that_wants_no_other_job_gets_none(worker, why):
    _, second = factories.enqueue(count=2)
    claim = worker.intake.claim()
    worker._stop_requested = why == "stopping"

    finish(worker, claim, last=why == "last")

    assert store().lrange(keys.queue("mail"), 0, -1) == [second.encode()]


def test_a_request_whose_answer_was_lost_gets_the_job_it_got_before(worker, monkeypatch):
    (job_id,) = factories.enqueue()
    run_all = scripts.run_all

    def lose_the_answer(client, calls):
        run_all(client, calls)
        raise ConnectionError

    with monkeypatch.context() as patch, pytest.raises(ConnectionError):
        patch.setattr(scripts, "run_all", lose_the_answer)
        worker.intake.claim()

    assert worker.intake.claim().job_id == job_id
    assert store().zcard(keys.started("mail")) == 1


def test_a_job_that_is_anothers_ends_nothing_and_yet_brings_the_next(worker):
    _, second = factories.enqueue(count=2)
    claim = worker.intake.claim()
    store().delete(keys.started("mail"))

    with pytest.raises(Superseded):
        finish(worker, claim)

    assert worker.intake.claim().job_id == second


def test_the_workers_record_says_whether_it_is_at_work(worker):
    worker.register_birth()
    factories.enqueue()

    def state() -> bytes:
        return store().hget(worker.key, "state")

    claim = worker.intake.claim()
    assert state() == b"busy"
    finish(worker, claim)
    assert state() == b"idle"
