"""Unique calls: one waits, or one runs and one waits with the newest arguments; and nobody stands for ever."""

import json
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import transaction

from jobs import caching, claims, coordinated, keys, outcomes
from jobs.arguments import digest_arguments
from jobs.connection import store
from jobs.enqueueing import Enqueued
from tests import factories
from tests.samples.jobs import cached, reindex, remind, render
from tests.waiting import eventually

MINUTE = timedelta(minutes=1)
SHORT = timedelta(milliseconds=30)


def waiting(queue: str) -> list[str]:
    return [job_id.decode() for job_id in store().lrange(keys.queue(queue), 0, -1)]


def arguments(job_id: str) -> dict[str, object]:
    return json.loads(zlib.decompress(store().hget(keys.job(job_id), "data")))[3]


def fail_for_good(claim: claims.Claim) -> None:
    while factories.fail_once(claim) is not outcomes.Outcome.DEAD:
        claim = factories.start(claim.queue)


def test_of_calls_that_are_unique_while_queued_one_waits():
    first = remind.enqueue(person="ann")
    second = remind.enqueue(person="ann")
    other = remind.enqueue(person="ben")

    assert (first, second) == (Enqueued(first.job_id, "queued"), Enqueued(first.job_id, "queued"))
    assert waiting("mail") == [first.job_id, other.job_id]


def test_one_that_runs_lets_another_wait():
    remind.enqueue(person="ann")
    factories.start("mail")

    second = remind.enqueue(person="ann")

    assert waiting("mail") == [second.job_id]


def test_the_newest_arguments_replace_those_of_the_call_that_waits():
    first = render.enqueue(page=1, version=1)
    second = render.enqueue(page=1, version=2)

    assert second == first
    assert waiting("reports") == [first.job_id]
    assert arguments(first.job_id) == {"page": 1, "version": 2}
    assert b"version=2" in store().hget(keys.job(first.job_id), "description")


def test_while_one_runs_another_waits_and_starts_at_its_end():
    render.enqueue(page=1, version=1)
    running = factories.start("reports")
    pending = render.enqueue(page=1, version=2)

    assert pending.status == "queued"
    assert claims.claim_next(store(), factories.claimant("reports"), claims.Request()).claim is None
    assert render.enqueue(page=1, version=3) == Enqueued(pending.job_id, "scheduled")

    factories.finish(running)

    assert factories.start("reports").job_id == pending.job_id
    assert arguments(pending.job_id)["version"] == 3


def test_without_a_resource_one_runs_at_a_time_too():
    reindex.enqueue(name="people")
    factories.start("mail")
    reindex.enqueue(name="people")

    assert claims.claim_next(store(), factories.claimant("mail"), claims.Request()).claim is None


def test_a_retry_takes_the_newest_arguments_and_keeps_its_time_and_its_attempts():
    first = render.enqueue(page=1, version=1)
    factories.fail_once(factories.start("reports"), delay=MINUTE)
    score = store().zscore(keys.scheduled("reports"), first.job_id)

    second = render.enqueue(page=1, version=2)

    assert second == Enqueued(first.job_id, "scheduled")
    assert arguments(first.job_id)["version"] == 2
    assert store().hmget(keys.job(first.job_id), "retries_left", "m_failures") == [b"2", b"1"]
    assert store().zscore(keys.scheduled("reports"), first.job_id) == score


def test_of_two_delays_the_sooner_counts():
    first = render.enqueue_in(MINUTE, page=1)
    score = store().zscore(keys.scheduled("reports"), first.job_id)

    render.enqueue_in(2 * MINUTE, page=1)
    assert store().zscore(keys.scheduled("reports"), first.job_id) == score
    render.enqueue_in(MINUTE / 2, page=1)
    assert store().zscore(keys.scheduled("reports"), first.job_id) < score

    assert render.enqueue(page=1) == Enqueued(first.job_id, "queued")
    assert waiting("reports") == [first.job_id]
    assert store().zcard(keys.scheduled("reports")) == 0


def test_a_delay_is_left_alone_where_a_foreign_scheduler_may_be_moving_it():
    first = remind.enqueue_in(MINUTE, person="ann")
    store().set(keys.scheduler_lock("mail"), "somebody")

    assert remind.enqueue(person="ann") == Enqueued(first.job_id, "scheduled")
    assert waiting("mail") == []


def test_a_call_that_waits_for_a_day_or_longer_still_stands():
    remind.enqueue_in(timedelta(days=3), person="ann")

    assert store().ttl(keys.unique(remind.unique_key({"person": "ann"}))) > 3 * 86_400


@pytest.mark.parametrize(
    "end",
    [
        factories.finish,
        fail_for_good,
        lambda claim: outcomes.refuse(store(), claim, text="no"),
        lambda claim: outcomes.stop(store(), claim),
        lambda claim: store().delete(keys.job(claim.job_id)),
    ],
    ids=["finished", "dead", "refused", "stopped", "gone"],
)
def test_one_that_has_ended_stands_for_nothing(end):
    first = reindex.enqueue(name="people")
    end(factories.start("mail"))

    second = reindex.enqueue(name="people")

    assert second.job_id != first.job_id
    assert second.job_id in waiting("mail")


def test_one_that_was_canceled_while_it_waited_stands_for_nothing():
    first = remind.enqueue(person="ann")
    store().hset(keys.job(first.job_id), "status", "canceled")

    assert remind.enqueue(person="ann").job_id != first.job_id


def test_one_whose_queue_was_emptied_or_whose_schedule_was_dropped_stands_for_nothing():
    first, later = remind.enqueue(person="ann"), remind.enqueue_in(MINUTE, person="ben")
    store().rename(keys.queue("mail"), "aside")
    store().delete(keys.scheduled("mail"))

    assert remind.enqueue(person="ann").job_id != first.job_id
    assert remind.enqueue(person="ben").job_id != later.job_id


@pytest.mark.django_db(transaction=True)
def test_inside_a_transaction_it_is_decided_on_commit_which_call_stands():
    with transaction.atomic():
        inside = render.enqueue(page=1, version=2)
        outside_id = _enqueue_elsewhere()

    assert inside.job_id != outside_id
    assert waiting("reports") == [outside_id]
    assert arguments(outside_id)["version"] == 2


def _enqueue_elsewhere() -> str:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(render.enqueue, page=1, version=1).result().job_id


def test_two_calls_are_the_same_by_what_they_lock_and_fill_or_else_by_all_their_arguments():
    @coordinated(queue="mail", resource="page:{page}", cache="{language}:{page}", name="tests.pages")
    def pages(*, page: str, language: str = "en") -> None: ...

    assert render.unique_key({"page": 1, "version": 2}) == "tests.samples.jobs.render:page:1"
    assert pages.unique_key({"page": "1", "language": "en"}) == 'tests.pages:["page:1", "en:1"]'
    assert remind.unique_key({"person": "ann"}).endswith(f":{digest_arguments({'person': 'ann'})}")
    assert digest_arguments({"a": 1, "b": 2}) == digest_arguments({"b": 2, "a": 1})


def test_another_word_for_unique_is_refused_at_the_decorator():
    with pytest.raises(ValueError, match="keep-latest"):
        coordinated(queue="mail", unique="always")


def test_of_many_threads_that_enqueue_while_jobs_run_one_runs_and_one_waits():
    def enqueue(version: int) -> Enqueued:
        return render.enqueue(page=1, version=version)

    def started() -> int:
        return store().zcard(keys.started("reports"))

    def work() -> list[int]:
        ran = []
        for _ in range(40):
            claim = claims.claim_next(store(), factories.claimant("reports"), claims.Request()).claim
            if claim:
                assert started() == 1
                ran.append(arguments(claim.job_id)["version"])
                factories.finish(claim)
        return ran

    with ThreadPoolExecutor(6) as pool:
        workers = [pool.submit(work) for _ in range(2)]
        answers = list(pool.map(enqueue, range(200)))
        ran = [version for worker in workers for version in worker.result()]
    assert {answer.status for answer in answers} <= {"queued", "scheduled"}
    assert len(waiting("reports")) + store().zcard(keys.scheduled("reports")) <= 1

    render.enqueue(page=1, version=1_000)

    last = factories.start("reports")
    assert arguments(last.job_id)["version"] == 1_000
    assert len(ran) < len(answers)


def test_a_refresh_that_died_is_left_alone_for_a_moment_and_readers_are_told_why(settings):
    settings.MANDOR = {"RETRY_BASE": timedelta(milliseconds=200)}
    cached.read(report_id=42)
    fail_for_good(factories.start("reports"))

    entry = cached.read(wait=MINUTE, report_id=42)

    assert (entry.state, entry.failed) == (caching.State.MISS, "ValueError: no such address")
    assert waiting("reports") == []
    eventually(lambda: cached.read(report_id=42) and waiting("reports"))


def test_a_reader_of_what_was_invalidated_during_its_refresh_has_another_enqueued():
    cached.read(report_id=42)
    claim = factories.start("reports")
    caching.invalidate("report:42")

    cached.read(report_id=42)
    cached.read(report_id=42)

    assert len(waiting("reports")) == 1
    assert factories.finish_cached(claim, '{"report": 41}') == "finished, cache refused"


def test_readers_who_found_nothing_just_before_a_worker_began_enqueue_no_other(monkeypatch):
    first = cached.read(report_id=42)
    factories.start("reports")
    monkeypatch.setattr(caching, "read", lambda _key: first)

    cached.read(report_id=42)

    assert waiting("reports") == []


@pytest.mark.django_db(transaction=True)
def test_a_change_inside_a_transaction_counts_from_its_commit():
    with transaction.atomic():
        cached.changed(report_id=42)
        cached.read(report_id=42)
        factories.finish_cached(factories.start("reports"), '{"report": 41}')
        assert cached.read(report_id=42).value == {"report": 41}

    assert cached.read(report_id=42).state is caching.State.MISS
    assert len(waiting("reports")) == 1


def test_an_upkeep_that_moves_a_retry_moves_the_one_call_there_is():
    first = render.enqueue(page=1, version=1)
    factories.fail_once(factories.start("reports"), delay=SHORT)
    render.enqueue(page=1, version=2)

    eventually(lambda: factories.go_round("reports") and waiting("reports"))

    assert waiting("reports") == [first.job_id]
    assert factories.start("reports").attempt == 2


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (lambda claim: factories.fail_once(claim, delay=MINUTE), outcomes.Outcome.GAVE_WAY),
        (lambda claim: outcomes.crash(store(), claim, text="killed"), outcomes.Outcome.GAVE_WAY),
        (lambda claim: outcomes.give_back(store(), claim), outcomes.Outcome.GAVE_WAY),
    ],
    ids=["failed", "crashed", "given back"],
)
def test_an_attempt_that_would_run_again_gives_way_to_a_newer_call(end, outcome):
    first = render.enqueue(page=1, version=1)
    claim = factories.start("reports")
    newer = render.enqueue(page=1, version=2)

    assert (end(claim), end(claim)) == (outcome, outcome)

    assert store().hget(keys.job(first.job_id), "status") == b"canceled"
    assert 0 < store().ttl(keys.job(first.job_id)) <= 3_600
    assert (waiting("reports"), store().zcard(keys.scheduled("reports"))) == ([newer.job_id], 0)


def test_an_attempt_whose_newer_call_was_discarded_is_retried_and_takes_the_next_arguments():
    first = render.enqueue(page=1, version=1)
    claim = factories.start("reports")
    newer = render.enqueue(page=1, version=2)
    store().lrem(keys.queue("reports"), 0, newer.job_id)
    store().delete(keys.job(newer.job_id))

    factories.fail_once(claim, delay=MINUTE)

    assert render.enqueue(page=1, version=3) == Enqueued(first.job_id, "scheduled")
    assert arguments(first.job_id)["version"] == 3
