"""A round of the upkeep: what is due goes to its queue in order, in small steps, whatever is wrong beside it."""

from datetime import timedelta

from jobs import keys, rounds
from jobs.connection import store
from tests import factories
from tests.samples.jobs import echo
from tests.waiting import eventually

MINUTE = timedelta(minutes=1)
MOMENT = timedelta(milliseconds=20)


def waiting(queue: str) -> list[str]:
    return [job_id.decode() for job_id in store().lrange(keys.queue(queue), 0, -1)]


def schedule(*job_ids: str, queue: str = "mail") -> None:
    """Make jobs due, the first one first."""
    for due_s, job_id in enumerate(job_ids, start=1):
        store().zadd(keys.scheduled(queue), {job_id: due_s})


def test_another_who_leads_moves_nothing_for_this_one():
    store().set(keys.LEADER, "mandor:other")

    assert rounds.go_round(store(), ["mail"], candidate="mandor:one", term=MINUTE) is None


def test_jobs_that_are_due_keep_their_order_and_wake_a_worker_each():
    ids = [echo.enqueue_in(MINUTE).job_id for _ in range(3)]
    schedule(*ids)

    done = factories.go_round("mail")

    assert (done.moved, done.next_due, waiting("mail")) == (3, None, ids)
    assert store().llen(keys.wake("mail")) == 3
    assert store().hget(keys.job(ids[0]), "status") == b"queued"


def test_jobs_for_the_front_come_before_what_waits_and_in_their_order():
    (before,) = factories.enqueue()
    ids = [echo.enqueue_in(MINUTE).job_id for _ in range(2)]
    for job_id in ids:
        store().hset(keys.job(job_id), "enqueue_at_front", "1")
    schedule(*ids)

    factories.go_round("mail")

    assert waiting("mail") == [*ids, before]


def test_a_round_moves_so_many_and_leaves_the_rest_to_the_next(monkeypatch):
    monkeypatch.setattr(rounds, "MOST_JOBS", 2)
    schedule(*(echo.enqueue_in(MINUTE).job_id for _ in range(3)))

    first, second = factories.go_round("mail", "reports"), factories.go_round("mail", "reports")

    assert (first.moved, first.is_full, first.next_due) == (2, True, timedelta(0))
    assert (second.moved, second.is_full, len(waiting("mail"))) == (1, False, 3)


def test_it_says_when_the_next_job_is_due_and_never_moves_one_early():
    echo.enqueue_in(MINUTE)

    done = factories.go_round("mail", "reports")

    assert done.moved == 0
    assert MINUTE - timedelta(seconds=5) < done.next_due <= MINUTE + timedelta(milliseconds=1)  # rounded up


def test_a_job_without_a_record_is_only_removed():
    schedule("gone")

    factories.go_round("mail")

    assert waiting("mail") == []
    assert store().zcard(keys.scheduled("mail")) == 0


def test_a_queue_of_the_wrong_type_loses_no_job_and_keeps_no_other_back():
    lost = echo.enqueue_in(MINUTE).job_id
    schedule(lost)
    store().set(keys.queue("mail"), "no list")
    sound = echo.enqueue_in(MINUTE).job_id
    store().zrem(keys.scheduled("mail"), sound)
    schedule(sound, queue="reports")

    factories.go_round("mail", "reports")

    assert waiting("reports") == [sound]
    assert store().zrange(keys.scheduled("mail"), 0, -1) == [lost.encode()]


def test_a_job_that_is_due_soon_wakes_the_leader_and_one_that_is_due_later_does_not():
    echo.enqueue_in(MINUTE)
    assert not store().exists(keys.UPKEEP_WAKE)

    echo.enqueue_in(MOMENT)

    assert store().llen(keys.UPKEEP_WAKE) == 1
    assert eventually(lambda: factories.go_round("mail").moved)
