"""Broken records: they become dead letters that say why, and stop neither a worker nor the upkeep."""

import time

import pytest

from jobs import claims, keys, locks, reclaims
from jobs.connection import store
from jobs.queue import Queue
from jobs.resolutions import FINE
from jobs.upkeep import Upkeep
from tests import factories
from tests.waiting import eventually


def claim_all() -> list[str]:
    """Take everything there is to take on mail and reports; returns the ids."""
    taken = []
    while claim := claims.claim_next(store(), factories.claimant("mail", "reports"), claims.Request()).claim:
        taken.append(claim.job_id)
    return taken


def make_wrong_type(job_id: str) -> None:
    store().delete(keys.job(job_id))
    store().set(keys.job(job_id), "no hash")


def test_a_job_whose_record_has_the_wrong_type_is_a_dead_letter_and_the_next_is_taken():
    broken, sound = factories.enqueue(count=2)
    make_wrong_type(broken)

    assert claim_all() == [sound]
    assert store().zscore(keys.failed("mail"), broken)


def test_a_job_that_fails_in_the_middle_of_its_claim_is_not_lost():
    broken, sound = factories.enqueue(count=2)
    store().set(keys.executions(broken), "of another type")

    assert claim_all() == [sound]
    assert store().zscore(keys.failed("mail"), broken)
    assert b"WRONGTYPE" in store().hget(keys.job(broken), "m_error")
    assert not [member for member in store().zrange(keys.started("mail"), 0, -1) if broken.encode() in member]


def test_a_lapsed_claim_on_a_broken_record_does_not_keep_others_from_coming_back(settings):
    settings.MANDOR = {"VISIBILITY_TIMEOUT": claims.MILLISECOND * 50}
    broken, sound = factories.enqueue(count=2)
    factories.start("mail")
    factories.start("mail")
    make_wrong_type(broken)

    eventually(lambda: reclaims.reclaim(store(), ["mail"]))

    assert store().lrange(keys.queue("mail"), 0, -1) == [sound.encode()]


def test_a_due_job_with_a_broken_record_does_not_keep_others_from_moving():
    broken, sound = (factories.enqueue(text=text)[0] for text in ("a", "b"))
    for job_id in (broken, sound):
        store().lrem(keys.queue("mail"), 0, job_id)
        store().zadd(keys.scheduled("mail"), {job_id: time.time() - 1})
    make_wrong_type(broken)

    factories.go_round("mail")

    assert store().lrange(keys.queue("mail"), 0, -1) == [sound.encode()]
    assert store().zcard(keys.scheduled("mail")) == 0


def test_a_broken_waiter_does_not_keep_a_lock_from_being_released():
    lease = factories.hold("report:42")
    broken, sound = factories.park(), factories.park()
    make_wrong_type(broken)

    locks.release(lease)

    assert factories.start("reports").job_id == sound


def test_a_note_that_cannot_be_written_fails_no_step():
    (job_id,) = factories.enqueue()
    store().set(keys.timeline(job_id), "of another type")
    store().set(keys.EVENTS, "of another type")

    assert factories.finish(factories.start()) == "finished"


def test_a_queue_of_the_wrong_type_does_not_keep_the_others_from_being_served():
    store().set(keys.queue("mail"), "no list")
    (job_id,) = factories.enqueue(factories.LOCKED, report_id=42)

    assert claim_all() == [job_id]


@pytest.mark.parametrize("end", ["echo", "broken", "die"])
def test_a_job_whose_end_cannot_be_written_ends_no_worker(start, end):
    (broken,) = factories.enqueue(f"tests.samples.jobs.{end}")
    for record in (keys.results(broken), keys.attempts(broken)):
        store().set(record, "of another type")
    (sound,) = factories.enqueue()

    worker = start("rqworker", "mail")

    eventually(lambda: store().hget(keys.job(sound), "status") == b"finished")
    eventually(lambda: store().hget(keys.job(broken), "status") in (b"finished", b"failed"))
    assert worker.is_alive()


def test_a_record_that_breaks_while_its_job_runs_ends_no_worker(start):
    broken = factories.enqueue("tests.samples.marked.plain", seconds=0.5)[0]
    (sound,) = factories.enqueue()
    worker = start("rqworker", "mail")
    eventually(lambda: store().zcard(keys.started("mail")))

    make_wrong_type(broken)

    eventually(lambda: store().hget(keys.job(sound), "status") == b"finished")
    eventually(lambda: store().zscore(keys.failed("mail"), broken))
    assert worker.is_alive()


def test_an_endless_job_of_a_plain_client_keeps_its_lock():
    Queue("reports", connection=store()).enqueue("tests.samples.jobs.locked", report_id=42, job_timeout=-1)
    claim = factories.start("reports")

    taken = claims.lock_resource(store(), claim, factories.claimant("reports"), resource="report:42", cache="")

    assert taken
    assert claims.renew(store(), claim, record_ttl=factories.MINUTE, memory=1) is claims.Renewal.RENEWED


def test_one_bad_record_does_not_keep_the_upkeep_from_the_rest():
    store().sadd(keys.QUEUES, b"rq:queue:\xff\xfe")
    store().set(keys.lock("odd"), "no hash")
    store().zadd(keys.LOCKS, {"odd": 1})
    store().lpush(keys.history(FINE.name), "{nope")
    factories.enqueue()
    upkeep = Upkeep(store(), name="one", queues=["mail"])

    upkeep.step()

    ((_, mail),) = store().xrange(keys.history(FINE.name, "mail"))
    assert mail[b"waiting"] == b"1"
    assert store().zscore(keys.LOCKS, "odd") is None
