"""A reply that is lost on the wire: the same result as without the loss, and nothing done twice."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from jobs import claims, keys, locks, outcomes
from jobs.claims import Renewal
from jobs.connection import forget_connections, store
from jobs.discards import discard_job, restore_job
from jobs.outcomes import Outcome
from jobs.retries import retry_job
from tests import factories
from tests.faults.lossy import LossyProxy
from tests.faults.marks import MarkReader
from tests.samples.jobs import echo
from tests.waiting import eventually

MINUTE = timedelta(minutes=1)
PLAIN, LOCKED = "tests.samples.marked.plain", "tests.samples.marked.locked"


@pytest.fixture
def proxy(lossy, settings):
    """All of this process's talk with the server goes through a proxy that can lose replies."""
    settings.RQ_QUEUES = {name: {"URL": lossy.url} for name in settings.RQ_QUEUES}
    forget_connections()
    store().ping()
    yield lossy
    forget_connections()


def losing(proxy: LossyProxy, action):
    """Do `action` while its reply is lost, and make sure that it was."""
    before = proxy.lost
    proxy.lose_next()
    result = action()
    assert proxy.lost == before + 1
    return result


def take(resource: str = "report:42") -> locks.Lease:
    return locks.acquire(resource, holder="ann", lease=MINUTE, max_duration=MINUTE)


def test_a_lock_whose_reply_was_lost_is_held_and_its_token_moved_once(proxy):
    take("warm")

    lease = losing(proxy, take)

    assert (
        int(store().hget(keys.lock("report:42"), "token")) == lease.token == int(store().get(keys.fence("report:42")))
    )


def test_a_renewal_whose_reply_was_lost_is_no_loss(proxy):
    lease = take()
    locks.renew(lease)

    losing(proxy, lambda: locks.renew(lease))

    lease.check()


def test_a_release_whose_reply_was_lost_is_a_release_also_when_another_came_at_once(proxy):
    locks.release(take("warm"))
    lease = take()

    losing(proxy, lambda: locks.release(lease))

    take()


def test_a_force_release_whose_reply_was_lost_says_that_it_released(proxy):
    token = take().token
    locks.force_release("warm", token=1, by="ana", reason="")

    assert losing(proxy, lambda: locks.force_release("report:42", token=token, by="ana", reason="hangs"))


def test_an_enqueue_whose_reply_was_lost_enqueues_once(proxy):
    echo.enqueue()

    losing(proxy, echo.enqueue)

    assert store().llen(keys.queue("mail")) == 2
    assert store().hget(keys.counts("mail"), "enqueued") == b"2"


def test_a_claim_whose_reply_was_lost_is_the_same_claim(proxy):
    factories.enqueue(count=3)
    factories.start("mail")
    by = factories.claimant("mail")

    claim = losing(proxy, lambda: factories.start(by=by))

    assert store().zcard(keys.started("mail")) == 2
    assert store().llen(keys.queue("mail")) == 1
    assert claims.renew(store(), claim, record_ttl=MINUTE, memory=1) is Renewal.RENEWED


@pytest.mark.parametrize(
    ("end", "outcome", "counted"),
    [
        (lambda claim: outcomes.finish(store(), claim, result=None, filling=None), Outcome.FINISHED, "finished"),
        (factories.fail_once, Outcome.RETRIED, "failed"),
        (lambda claim: outcomes.crash(store(), claim, text="killed"), Outcome.REQUEUED, "crashed"),
        (lambda claim: outcomes.give_back(store(), claim), Outcome.REQUEUED, None),
    ],
)
def test_an_end_whose_reply_was_lost_is_committed_once(proxy, end, outcome, counted):
    (job_id, _) = factories.enqueue(count=2)
    claim = factories.start("mail")
    end(factories.start("mail"))
    before = int(store().hget(keys.counts("mail"), counted) or 0) if counted else 0

    assert losing(proxy, lambda: end(claim)) is outcome

    if counted:
        assert int(store().hget(keys.counts("mail"), counted)) == before + 1
    told = [json.loads(row)["what"] for row in store().lrange(keys.timeline(job_id), 0, -1)]
    assert told.count("taken") == 1


def test_a_retry_by_hand_whose_reply_was_lost_says_so_and_runs_once(proxy):
    job_id, other = factories.bury(), factories.bury()
    retry_job(factories.see(other), by="ana")
    seen = factories.see(job_id)

    losing(proxy, lambda: retry_job(seen, by="ana"))

    assert store().lrange(keys.queue("mail"), 0, -1).count(job_id.encode()) == 1


def test_a_discard_and_a_restore_whose_replies_were_lost_say_so_and_are_done_once(proxy):
    first, job_id = factories.enqueue(count=2)
    seen, other = factories.see(job_id), factories.see(first)
    discard_job(other, by="ana")
    restore_job(other, by="ana")

    assert losing(proxy, lambda: discard_job(seen, by="ana")) == 0
    assert store().zcard(keys.bin_of("mail")) == 1
    losing(proxy, lambda: restore_job(seen, by="ana"))

    assert store().lrange(keys.queue("mail"), 0, -1) == [first.encode(), job_id.encode()]


def test_a_job_that_came_with_the_end_of_the_one_before_runs_once_though_that_answer_was_lost(start, place, lossy):
    for name in (PLAIN, LOCKED):
        factories.enqueue(name, seconds=0.05, **({"resource": 1} if name == LOCKED else {}))
    lossy.before_reply(LOCKED.encode(), lossy.lose_next)

    start("rqworker", "mail", "reports", at=replace(place, url=lossy.url))

    eventually(lambda: store().hget(keys.counts("reports"), "finished") == b"1")
    assert lossy.lost == 1
    assert [mark.what for mark in MarkReader(place.marks).read_on()] == ["began", "ended"] * 2
    assert store().hget(keys.counts("reports"), "crashed") is None
