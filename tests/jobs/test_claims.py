"""Claims: a job is on its queue or in flight at every instant, and only its execution may speak for it."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from rq.job import Job, JobStatus
from rq.registry import FailedJobRegistry, FinishedJobRegistry, StartedJobRegistry
from rq.serializers import JSONSerializer

from jobs import claims, keys, locks, outcomes, reclaims
from jobs.claims import Renewal, Superseded
from jobs.connection import store
from jobs.outcomes import Outcome
from tests import factories
from tests.waiting import eventually

NOW = timedelta(0)
SHORT = timedelta(milliseconds=300)


def fetch(job_id: str) -> Job:
    return Job.fetch(job_id, connection=store(), serializer=JSONSerializer)


def fail(claim: claims.Claim, delay: timedelta = NOW) -> Outcome:
    return outcomes.fail(store(), claim, error="ValueError: no", traceback=factories.TRACEBACK, delay=delay)


def attempts(job_id: str) -> list[dict[str, object]]:
    return [json.loads(row) for row in store().lrange(keys.attempts(job_id), 0, -1)]


def timeline(job_id: str) -> list[str]:
    return [json.loads(row)["what"] for row in store().lrange(keys.timeline(job_id), 0, -1)]


@pytest.fixture
def brief(settings):
    """Claims that lapse soon."""
    settings.MANDOR = {"VISIBILITY_TIMEOUT": SHORT}


def test_a_claimed_job_is_in_flight_as_rq_knows_it():
    (job_id,) = factories.enqueue()

    claim = factories.start("mail")

    job = fetch(job_id)
    assert claim.job_id == job_id
    assert job.get_status() == JobStatus.STARTED
    assert job.kwargs == {"text": "hello"}
    assert job.worker_name == claim.worker
    registry = StartedJobRegistry("mail", connection=store())
    assert registry.get_job_ids(cleanup=False) == [job_id]
    assert store().llen(keys.queue("mail")) == 0


def test_what_a_worker_holds_of_a_claim_ends_with_the_worker_or_the_claim():
    factories.enqueue()
    claim = factories.start()
    held = keys.worker_executions(claim.worker)
    assert 0 < store().ttl(held) <= 60

    store().zrem(keys.started("mail"), f"{claim.job_id}:{claim.execution_id}")  # as a foreign hand does
    with pytest.raises(Superseded):
        factories.finish(claim)

    assert not store().exists(held)


def test_the_same_request_gets_the_same_claim():
    factories.enqueue(count=2)
    worker, request = factories.claimant("mail"), claims.Request()

    first = claims.claim_next(store(), worker, request)
    second = claims.claim_next(store(), worker, replace(request, again=True))

    assert first.claim == second.claim
    assert store().llen(keys.queue("mail")) == 1


def test_queues_are_served_in_order_and_a_paused_one_not_at_all():
    (billed,) = factories.enqueue("tests.samples.jobs.leave_marks_on_billing", path="x", seconds=0.1)
    factories.enqueue()
    store().hset(keys.paused("mail"), "by", "ana")

    assert factories.start("mail", "billing").job_id == billed


def test_a_finished_job_has_its_result_where_rq_keeps_it():
    (job_id,) = factories.enqueue()

    outcome = factories.finish(factories.start())

    assert outcome is Outcome.FINISHED
    assert fetch(job_id).return_value() == "done"
    assert FinishedJobRegistry("mail", connection=store()).get_job_ids() == [job_id]
    assert store().zcard(keys.started("mail")) == 0
    assert timeline(job_id) == ["taken", "finished"]


def test_an_end_can_be_repeated_and_changes_nothing_more():
    (job_id,) = factories.enqueue()
    claim = factories.start()
    factories.finish(claim)

    assert factories.finish(claim) is Outcome.FINISHED
    assert store().hget(keys.counts("mail"), "finished") == b"1"
    assert store().xlen(keys.results(job_id)) == 1


def test_a_failed_attempt_waits_and_comes_back_never_early():
    (job_id,) = factories.enqueue()

    assert fail(factories.start(), delay=SHORT) is Outcome.RETRIED

    assert fetch(job_id).get_status() == JobStatus.SCHEDULED
    factories.go_round("mail")
    assert store().llen(keys.queue("mail")) == 0
    eventually(lambda: factories.go_round("mail") and store().llen(keys.queue("mail")))


def test_out_of_attempts_it_is_a_dead_letter_with_every_traceback():
    job_id = factories.bury()

    assert FailedJobRegistry("mail", connection=store()).get_job_ids() == [job_id]
    assert [row["number"] for row in attempts(job_id)] == [4, 3, 2, 1]
    assert {row["traceback"] for row in attempts(job_id)} == {factories.TRACEBACK}
    assert fetch(job_id).latest_result().exc_string == factories.TRACEBACK
    assert store().hget(keys.job(job_id), "m_ended") == b"failed"


def test_a_lapsed_claim_goes_back_to_its_queue_and_costs_no_attempt(brief):
    (job_id,) = factories.enqueue()
    silent = factories.start()

    reclaimed = eventually(lambda: reclaims.reclaim(store(), ["mail"]))

    assert [(row.job_id, row.worker, row.dead) for row in reclaimed] == [(job_id, silent.worker, False)]
    again = factories.start()
    assert (again.job_id, again.attempt) == (job_id, 1)
    assert fetch(job_id).retries_left == 4


def test_a_superseded_execution_changes_nothing(brief):
    (job_id,) = factories.enqueue()
    silent = factories.start()
    eventually(lambda: reclaims.reclaim(store(), ["mail"]))
    current = factories.start()

    for speak in (factories.finish, fail, lambda claim: outcomes.give_back(store(), claim)):
        with pytest.raises(Superseded):
            speak(silent)
    assert claims.renew(store(), silent, record_ttl=factories.MINUTE, memory=1) is Renewal.SUPERSEDED
    assert fetch(job_id).worker_name == current.worker
    assert fetch(job_id).get_status() == JobStatus.STARTED


def test_a_renewed_claim_does_not_lapse(brief):
    factories.enqueue()
    claim = factories.start()

    def renewed_beyond_its_first_end() -> bool:
        assert claims.renew(store(), claim, record_ttl=factories.MINUTE, memory=1) is Renewal.RENEWED
        assert reclaims.reclaim(store(), ["mail"]) == []
        started_ms = int(store().hget(keys.job(claim.job_id), "m_started"))
        seconds, micro = store().time()
        return seconds * 1000 + micro // 1000 - started_ms > 600

    eventually(renewed_beyond_its_first_end)


def test_the_third_crash_is_the_end_and_says_what_is_known():
    (job_id,) = factories.enqueue()

    ends = [outcomes.crash(store(), factories.start(), text="killed by SIGKILL") for _ in range(3)]

    assert ends == [Outcome.REQUEUED, Outcome.REQUEUED, Outcome.DEAD]
    assert store().hmget(keys.job(job_id), "m_ended", "m_error") == [b"crashed", b"killed by SIGKILL"]
    assert [row["outcome"] for row in attempts(job_id)] == ["crashed"] * 3


def test_a_job_given_back_is_first_in_its_queue_with_no_attempt_counted():
    first, _ = factories.enqueue(count=2)

    outcomes.give_back(store(), factories.start())

    again = factories.start()
    assert (again.job_id, again.attempt) == (first, 1)


def test_a_stock_cleaner_that_comes_late_requeues_and_never_buries(brief):
    (job_id,) = factories.enqueue("tests.samples.jobs.oversleep")
    factories.start()
    registry = StartedJobRegistry("mail", connection=store(), serializer=JSONSerializer)

    registry.cleanup()
    assert registry.get_job_ids(cleanup=False) == [job_id]
    registry.cleanup(timestamp=store().time()[0] + 3600)

    assert fetch(job_id).get_status() == JobStatus.QUEUED
    assert store().lrange(keys.queue("mail"), 0, -1) == [job_id.encode()]
    assert fetch(job_id).retries_left == 0


@pytest.mark.parametrize("status", ["finished", "canceled"])
def test_an_id_whose_job_has_ended_is_dropped_from_the_queue(status):
    (job_id,) = factories.enqueue()
    store().hset(keys.job(job_id), "status", status)

    taking = claims.claim_next(store(), factories.claimant("mail"), claims.Request())

    assert taking.claim is None
    assert store().llen(keys.queue("mail")) == 0


@pytest.mark.parametrize("status", ["created", None])
def test_a_record_that_a_foreign_client_pushed_without_a_status_is_taken(status):
    (job_id,) = factories.enqueue()
    store().hdel(keys.job(job_id), "status")
    if status:
        store().hset(keys.job(job_id), "status", status)

    assert factories.start("mail").job_id == job_id


def test_a_job_that_asked_for_it_is_retried_at_the_front_of_its_queue():
    job_id, other = factories.enqueue(count=2)
    store().hset(keys.job(job_id), "enqueue_at_front_on_retry", 1)

    factories.fail_once(factories.start("mail"), delay=timedelta(0))

    assert store().lrange(keys.queue("mail"), 0, -1) == [job_id.encode(), other.encode()]


def test_a_claim_locks_the_resource_and_its_end_frees_it():
    factories.enqueue(factories.LOCKED, report_id=42)

    claim = factories.start("reports")

    assert store().hget(keys.lock("report:42"), "token").decode() == claim.token
    factories.finish(claim)
    assert not store().exists(keys.lock("report:42"))


def test_a_job_whose_resource_is_held_is_parked_and_first_at_the_release():
    lease = factories.hold("report:42")
    parked = factories.park()
    later = factories.enqueue(factories.LOCKED, report_id=7)

    assert fetch(parked).get_status() == JobStatus.SCHEDULED
    assert store().zrange(keys.waiters("report:42"), 0, -1) == [parked.encode()]
    locks.release(lease)

    assert [factories.start("reports").job_id for _ in range(2)] == [parked, *later]


def test_a_worker_says_which_jobs_found_their_lock_busy():
    factories.hold("report:42")
    (job_id,) = factories.enqueue(factories.LOCKED, report_id=42)

    taking = claims.claim_next(store(), factories.claimant("reports"), claims.Request())

    assert taking.parked == [claims.Parked(job_id, "reports", "report:42")]


def test_nobody_overtakes_the_job_that_was_woken():
    lease = factories.hold("report:42")
    first, second = factories.park(), factories.park()

    locks.release(lease)

    with pytest.raises(locks.LockHeld):
        factories.hold("report:42", holder="thief")
    assert factories.start("reports").job_id == first
    assert store().zrange(keys.waiters("report:42"), 0, -1) == [second.encode()]


def test_a_parked_job_comes_back_by_itself_when_nobody_wakes_it():
    factories.hold("report:42")
    parked = factories.park()

    eventually(lambda: factories.go_round("reports") and store().llen(keys.queue("reports")))

    assert store().lrange(keys.queue("reports"), 0, -1) == [parked.encode()]


def test_where_a_foreign_scheduler_works_parked_jobs_stay_off_its_registry():
    store().set(keys.scheduler_lock("reports"), "somebody")
    factories.hold("report:42")

    parked = factories.park()

    assert store().zrange(keys.parked("reports"), 0, -1) == [parked.encode()]
    assert store().zcard(keys.scheduled("reports")) == 0


def test_a_waiter_that_its_fallback_time_put_on_its_queue_keeps_its_turn():
    held = factories.hold("report:42")
    first, second = factories.park(), factories.park()
    store().zadd(keys.scheduled("reports"), {first: 1})
    factories.go_round("reports")

    locks.release(held)

    assert [factories.start("reports").job_id, store().get(keys.reserved("report:42"))] == [first, None]
    assert store().llen(keys.queue("reports")) == 0
    assert store().zrange(keys.waiters("report:42"), 0, -1) == [second.encode()]


def test_a_waiter_that_was_woken_and_not_taken_has_lost_its_turn():
    held = factories.hold("report:42")
    first, second = factories.park(), factories.park()
    locks.release(held)
    store().delete(keys.reserved("report:42"))
    held = factories.hold("report:42")

    locks.release(held)

    assert store().get(keys.reserved("report:42")) == second.encode()
    assert store().lrange(keys.queue("reports"), 0, -1) == [second.encode(), first.encode()]


def test_a_waiter_on_a_queue_that_nobody_listens_to_is_passed_over():
    held = factories.hold("report:42")
    factories.park()
    store().delete(keys.queue_workers("reports"))

    locks.release(held)

    assert not store().exists(keys.reserved("report:42"), keys.queue("reports"))


def test_a_force_release_is_found_at_the_next_renewal_and_wakes_the_first_waiter():
    (job_id,) = factories.enqueue(factories.LOCKED, report_id=42)
    claim = factories.start("reports")
    parked = factories.park()

    locks.force_release("report:42", token=int(claim.token), by="ana", reason="hangs")

    assert claims.renew(store(), claim, record_ttl=factories.MINUTE, memory=1) is Renewal.LEASE_LOST
    assert factories.start("reports").job_id == parked
    assert "released by hand" in timeline(job_id)


def test_a_lock_that_lapsed_goes_on_until_another_takes_it():
    factories.enqueue(factories.LOCKED, report_id=42)
    claim = factories.start("reports")
    store().delete(keys.lock("report:42"))

    assert claims.renew(store(), claim, record_ttl=factories.MINUTE, memory=1) is Renewal.RENEWED
    assert store().hget(keys.lock("report:42"), "token") == claim.token.encode()

    store().delete(keys.lock("report:42"))
    factories.hold("report:42", holder="thief")

    assert claims.renew(store(), claim, record_ttl=factories.MINUTE, memory=1) is Renewal.LEASE_LOST
