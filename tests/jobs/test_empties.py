"""Emptying a queue."""

from datetime import timedelta

import pytest

from jobs import empties, keys, locks, pauses
from jobs.connection import store
from jobs.upkeep import SHORTEST_SLEEP_S, Upkeep
from tests.factories import LOCKED, bury, claimant, enqueue, hold, park, start

NEVER = timedelta(0)


def test_what_waits_is_gone_with_all_that_was_kept_about_it():
    (job_id,) = enqueue()
    store().rpush(keys.timeline(job_id), "{}")
    store().rpush(keys.attempts(job_id), "{}")
    store().set(keys.log(job_id), "{}")

    assert empties.empty_queue("mail", by="ana") == 1

    assert store().keys(f"*{job_id}*") == []
    assert not store().exists(keys.queue("mail"), keys.EMPTYINGS)


def test_what_runs_died_or_is_scheduled_stays():
    dead = bury()
    enqueue()
    running = start("mail")
    store().rpush(keys.queue("mail"), running.job_id, dead)
    enqueue()

    assert empties.empty_queue("mail", by="ana") == 3

    assert store().hget(keys.job(running.job_id), "status") == b"started"
    assert store().hget(keys.job(dead), "status") == b"failed"


def test_parked_jobs_go_too_and_leave_their_line():
    lease = hold("report:42")
    park()
    other = park()
    store().hset(keys.job(other), "m_parked", 4_000_000_000_000)

    assert empties.empty_queue("reports", by="ana") == 1

    locks.release(lease)
    assert start("reports").job_id == other


def test_a_waiter_whose_turn_it_was_makes_way_for_the_next():
    lease = hold("report:42")
    woken, _ = park(), enqueue("tests.samples.jobs.echo")
    locks.release(lease)
    store().zadd(keys.waiters("report:42"), {"hold:web-1": 4_000_000_000_000})
    store().zadd(keys.beats("report:42"), {"hold:web-1": 4_000_000_000_000})
    assert store().get(keys.reserved("report:42")) == woken.encode()

    empties.empty_queue("reports", by="ana")

    assert store().get(keys.reserved("report:42")) == b"hold:web-1"


def test_a_job_enqueued_after_the_queue_was_emptied_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(empties, "remove_emptied", lambda _: False)
    before = enqueue(count=3)

    empties.empty_queue("mail", by="ana")
    (after,) = enqueue()

    assert start("mail").job_id == after
    assert store().exists(*map(keys.job, before)) == 3
    monkeypatch.undo()
    assert empties.remove_emptied(store())
    assert store().exists(*map(keys.job, before)) == 0


def test_records_are_removed_in_steps_until_time_is_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(empties, "STEP", 2)
    monkeypatch.setattr(empties, "PATIENCE", NEVER)
    ids = enqueue(count=5)
    store().hset(keys.EMPTYINGS, "x", "[5,1]")
    store().rename(keys.queue("mail"), keys.emptied("x"))

    assert not empties.remove_emptied(store(), within=NEVER)
    assert store().exists(*map(keys.job, ids)) == 5
    assert empties.remove_emptied(store())

    assert store().exists(*map(keys.job, ids)) == 0


def test_records_of_another_type_are_removed_as_well():
    store().sadd(keys.QUEUES, keys.queue("mail"))
    store().rpush(keys.queue("mail"), "broken", "gone")
    store().set(keys.job("broken"), "no hash")

    assert empties.empty_queue("mail", by="ana") == 2
    assert not store().exists(keys.job("broken"))


def test_an_empty_queue_is_empty_already():
    assert empties.empty_queue("mail", by="ana") == 0


def test_a_queue_nobody_knows_cannot_be_emptied():
    with pytest.raises(pauses.UnknownQueue):
        empties.empty_queue("none", by="ana")


def test_a_worker_in_the_middle_of_a_job_is_left_alone():
    enqueue(LOCKED, report_id=1)
    claim = start("reports", by=claimant("reports"))

    empties.empty_queue("reports", by="ana")

    assert store().exists(keys.lock("report:1"))
    assert store().zcard(keys.started("reports")) == 1
    assert claim.token


def test_the_upkeep_removes_what_is_left_and_looks_again_soon_while_there_is_some(monkeypatch: pytest.MonkeyPatch):
    ids = enqueue(count=2)
    store().hset(keys.EMPTYINGS, "x", "[2,1]")
    store().rename(keys.queue("mail"), keys.emptied("x"))
    upkeep = Upkeep(store(), name="one", queues=["mail"])

    with monkeypatch.context() as patched:
        patched.setattr(empties, "MOMENT", NEVER)
        assert upkeep.step() <= SHORTEST_SLEEP_S
        assert store().exists(*map(keys.job, ids)) == 2
    upkeep.step()

    assert store().exists(*map(keys.job, ids)) == 0
