"""The bin: what may go into it, how long it keeps it, and that a restored job is where it was."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from rq import Queue
from rq.job import Dependency

from jobs import keys, locks
from jobs.connection import store
from jobs.discards import NotDiscarded, NotRestored, discard_job, restore_job
from jobs.retries import NotRetried, retry_job
from jobs.seen import SeenJob
from tests import factories
from tests.factories import see
from tests.samples.jobs import echo

DAY_MS = 86_400_000
HOSTILE = "a b/c:d \udcff🦊"


def record(job_id: str) -> dict[bytes, bytes]:
    return store().hgetall(keys.job(job_id))


def waiting(queue: str = "mail") -> list[str]:
    return [job_id.decode() for job_id in store().lrange(keys.queue(queue), 0, -1)]


def test_a_discarded_dead_letter_is_in_the_bin_for_a_day_and_nowhere_else():
    job_id = factories.bury()

    discard_job(see(job_id), by="ana")

    assert store().zscore(keys.failed("mail"), job_id) is None
    assert store().zscore(keys.bin_of("mail"), job_id)
    assert record(job_id)[b"status"] == b"canceled"
    for key in (
        keys.job(job_id),
        keys.results(job_id),
        keys.timeline(job_id),
        keys.attempts(job_id),
        keys.binned(job_id),
    ):
        assert 0 < store().pttl(key) <= DAY_MS


def test_a_restored_dead_letter_is_what_it_was_and_can_be_retried():
    job_id = factories.bury()
    before, score = record(job_id), store().zscore(keys.failed("mail"), job_id)
    discard_job(see(job_id), by="ana")

    restore_job(see(job_id), by="bob")

    after = record(job_id)
    assert {name: value for name, value in after.items() if value} == before
    assert store().zscore(keys.failed("mail"), job_id) == score
    assert store().zcard(keys.bin_of("mail")) == 0
    assert store().ttl(keys.job(job_id)) > DAY_MS / 1000
    retry_job(see(job_id), by="ana")
    assert waiting() == [job_id]


def test_a_waiting_job_goes_back_between_its_neighbours():
    first, second, third = factories.enqueue(count=3)

    for job_id in (first, second, third):
        before = waiting()
        discard_job(see(job_id), by="ana")
        assert job_id not in waiting()
        (new,) = factories.enqueue()
        restore_job(see(job_id), by="ana")
        assert waiting() == [*before, new]


def test_a_discarded_job_is_never_run_and_a_restored_one_is():
    (job_id,) = factories.enqueue()
    discard_job(see(job_id), by="ana")
    with pytest.raises(AssertionError):
        factories.start()

    restore_job(see(job_id), by="ana")

    assert factories.start().job_id == job_id


def test_a_parked_job_leaves_the_line_and_comes_back_to_the_front():
    lease = factories.hold("report:42")
    parked = factories.park()
    (other,) = factories.enqueue(factories.LOCKED, report_id=43)
    discard_job(see(parked, "reports"), by="ana")
    assert store().zcard(keys.waiters("report:42")) == 0
    assert store().zscore(keys.scheduled("reports"), parked) is None

    restore_job(see(parked, "reports"), by="ana")

    assert waiting("reports") == [parked, other]
    assert lease.token


def test_a_woken_job_that_is_discarded_lets_the_next_waiter_go():
    lease = factories.hold("report:42")
    first, second = factories.park(), factories.park()
    locks.release(lease)
    assert waiting("reports") == [first]

    discard_job(see(first, "reports"), by="ana")

    assert waiting("reports") == [second]


def test_a_scheduled_job_keeps_its_time():
    echo.enqueue_in(factories.MINUTE, text="later")
    ((job_id, due),) = store().zrange(keys.scheduled("mail"), 0, -1, withscores=True)
    job = see(job_id.decode())

    discard_job(job, by="ana")
    assert store().zcard(keys.scheduled("mail")) == 0
    restore_job(job, by="ana")

    assert store().zscore(keys.scheduled("mail"), job_id) == due


def test_a_job_in_flight_is_left_alone():
    factories.enqueue()
    claim = factories.start()

    with pytest.raises(NotDiscarded, match="in flight"):
        discard_job(see(claim.job_id), by="ana")

    assert record(claim.job_id)[b"status"] == b"started"


def test_a_job_whose_execution_is_lost_can_be_discarded():
    factories.enqueue()
    claim = factories.start()
    store().delete(keys.started("mail"))

    assert discard_job(see(claim.job_id), by="ana") == 0


def test_a_job_that_changed_since_it_was_seen_is_left_alone():
    job_id = factories.bury()
    seen = see(job_id)
    retry_job(seen, by="bob")

    with pytest.raises(NotDiscarded, match="changed since"):
        discard_job(seen, by="ana")
    with pytest.raises(NotDiscarded, match="changed since"):
        discard_job(see(job_id, "reports"), by="ana")

    assert waiting() == [job_id]


def test_of_many_who_discard_it_at_once_one_does():
    job_id = factories.bury()
    seen = see(job_id)

    def attempt(_: int) -> bool:
        try:
            discard_job(seen, by="ana")
        except NotDiscarded:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(16))) == 1


def test_a_job_in_the_bin_is_neither_retried_nor_discarded_nor_restored_twice():
    job_id = factories.bury()
    discard_job(see(job_id), by="ana")

    with pytest.raises(NotRetried):
        retry_job(see(job_id), by="ana")
    with pytest.raises(NotDiscarded, match="in the bin already"):
        discard_job(see(job_id), by="ana")
    restore_job(see(job_id), by="ana")
    with pytest.raises(NotRestored):
        restore_job(see(job_id), by="ana")


def test_it_can_be_discarded_again_once_it_was_restored():
    job_id = factories.bury()
    discard_job(see(job_id), by="ana")
    restore_job(see(job_id), by="ana")

    discard_job(see(job_id), by="ana")

    assert store().zcard(keys.bin_of("mail")) == 1


@pytest.mark.parametrize("registry", [keys.failed, keys.scheduled, keys.finished, keys.canceled, keys.deferred])
def test_a_job_without_a_record_leaves_its_list_and_comes_back(registry):
    store().zadd(registry("mail"), {HOSTILE.encode("utf-8", "surrogateescape"): 4_000_000_000})
    job = SeenJob(HOSTILE, "mail", see("nobody").token)

    discard_job(job, by="ana")
    assert store().zcard(registry("mail")) == 0
    restore_job(job, by="ana")

    assert store().zcard(registry("mail")) == 1
    assert not store().exists(keys.job("nobody"))


def test_a_record_of_another_type_can_be_discarded():
    store().set(keys.job("odd"), "no hash")
    store().rpush(keys.queue("mail"), "odd")

    discard_job(SeenJob("odd", "mail"), by="ana")

    assert waiting() == []
    assert store().ttl(keys.job("odd")) > 0


def test_nothing_is_left_of_an_unknown_job():
    with pytest.raises(NotDiscarded, match="Nothing"):
        discard_job(see("nobody"), by="ana")


def test_what_depends_on_it_goes_on_waiting():
    queue = Queue("mail", connection=store())
    parent = queue.enqueue("a.b")
    child = queue.enqueue("a.c", depends_on=parent)

    assert discard_job(see(parent.id), by="ana") == 1

    assert store().zscore(keys.deferred("mail"), child.id)


def test_a_deferred_job_whose_parent_ended_meanwhile_comes_back_to_its_queue():
    queue = Queue("mail", connection=store())
    parent = queue.enqueue("a.b")
    child = queue.enqueue("a.c", depends_on=Dependency(parent))
    discard_job(see(child.id), by="ana")
    store().hset(keys.job(parent.id), "status", "finished")
    store().delete(keys.queue("mail"))

    restore_job(see(child.id), by="ana")

    assert waiting() == [child.id]


def test_a_deferred_job_whose_parent_runs_goes_on_waiting_for_it():
    queue = Queue("mail", connection=store())
    child = queue.enqueue("a.c", depends_on=queue.enqueue("a.b"))
    discard_job(see(child.id), by="ana")

    restore_job(see(child.id), by="ana")

    assert store().zscore(keys.deferred("mail"), child.id)


def test_the_bin_holds_no_more_than_it_may(settings):
    settings.MANDOR = {"BIN_SIZE": 1}
    oldest, newest = factories.bury(), factories.bury()

    discard_job(see(oldest), by="ana")
    discard_job(see(newest), by="ana")

    assert store().zrange(keys.bin_of("mail"), 0, -1) == [newest.encode()]
    assert not store().exists(keys.job(oldest), keys.attempts(oldest), keys.binned(oldest))
