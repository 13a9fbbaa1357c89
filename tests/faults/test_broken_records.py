"""Broken records: they become dead letters that say why, and stop neither a worker nor the upkeep."""

import time

import pytest

from jobs import claims, keys, locks
from jobs.connection import store
from jobs.due import move_due
from tests import factories
from tests.waiting import eventually


def claim_all() -> list[str]:
    """Take everything there is to take on mail and reports; returns the ids."""
    taken = []
    while claim := claims.claim_next(store(), factories.claimant("mail", "reports"), claims.new_execution()).claim:
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


@pytest.mark.parametrize("key", [keys.timeline, keys.executions])
def test_a_job_that_fails_in_the_middle_of_its_claim_is_not_lost(key):
    broken, sound = factories.enqueue(count=2)
    store().set(key(broken), "of another type")

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

    eventually(lambda: claims.reclaim(store(), ["mail"]))

    assert store().lrange(keys.queue("mail"), 0, -1) == [sound.encode()]


def test_a_due_job_with_a_broken_record_does_not_keep_others_from_moving():
    broken, sound = (factories.enqueue(text=text)[0] for text in ("a", "b"))
    for job_id in (broken, sound):
        store().lrem(keys.queue("mail"), 0, job_id)
        store().zadd(keys.scheduled("mail"), {job_id: time.time() - 1})
    make_wrong_type(broken)

    move_due(store(), "mail", mover="mandor:test")

    assert store().lrange(keys.queue("mail"), 0, -1) == [sound.encode()]
    assert store().zcard(keys.scheduled("mail")) == 0


def test_a_broken_waiter_does_not_keep_a_lock_from_being_released():
    lease = factories.hold("report:42")
    broken, sound = factories.park(), factories.park()
    make_wrong_type(broken)

    locks.release(lease)

    assert factories.start("reports").job_id == sound
