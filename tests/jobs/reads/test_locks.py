"""The list of locks and a lock's own page, also when what lies in Redis is broken."""

from datetime import timedelta

from rq import Worker

from jobs import keys, locks
from jobs.connection import store
from jobs.reads.locks import list_locks, show_lock
from tests.factories import LOCKED, claimant, enqueue, hold, park, start
from tests.waiting import eventually

MILLISECOND = timedelta(milliseconds=1)


def test_stuck_locks_come_first_then_the_longest_held():
    hold("report:1")
    hold("report:2")
    hold("report:3", max_duration=MILLISECOND)

    found = eventually(lambda: listed if (listed := list_locks()).stuck else None)

    assert [row.resource for row in found.rows] == ["report:3", "report:1", "report:2"]
    assert (found.held.value, found.stuck) == (3, 1)


def test_a_released_lock_is_gone_from_the_list():
    locks.release(hold("report:1"))

    assert list_locks().rows == ()


def test_the_verdict_on_a_jobs_holder_is_its_workers_heartbeat():
    alive = claimant("reports", name="web-1")
    Worker(["reports"], name="web-1", connection=store()).register_birth()
    enqueue(LOCKED, report_id=1)
    start(by=alive)
    enqueue(LOCKED, report_id=2)
    claim = start(by=claimant("reports", name="web-2"))
    store().delete(keys.worker("web-2"))
    hold("report:3")

    verdicts = {row.resource: row.verdict for row in list_locks().rows}

    assert claim is not None
    assert verdicts == {"report:1": "alive", "report:2": "gone", "report:3": "unknown"}


def test_a_job_that_holds_is_named_by_its_function():
    enqueue(LOCKED, report_id=1)
    start()

    (row,) = list_locks().rows

    assert row.function == LOCKED


def test_waiters_stand_in_the_order_in_which_they_were_parked():
    hold("report:42")
    first, second = park(), park()

    detail = show_lock("report:42")

    assert [waiter.job_id for waiter in detail.waiters] == [first, second]
    assert detail.waiting == 2


def test_the_last_release_by_hand_is_told():
    lease = hold("report:42")
    locks.force_release("report:42", token=lease.token, by="ann", reason="it hangs")

    detail = show_lock("report:42")

    assert detail.hold is None
    assert detail.released is not None
    assert (detail.released.by, detail.released.reason) == ("ann", "it hangs")


def test_broken_fields_break_no_row():
    hold("report:1")
    store().hset(keys.lock("report:1"), mapping={"acquired": b"\xff", "max": "x", "lease": "", "renewals": "many"})
    hold("report:2")
    store().delete(keys.lock("report:2"))
    store().lpush(keys.lock("report:2"), "not a hash")

    found = list_locks()

    assert [row.resource for row in found.rows] == ["report:1"]
    assert found.rows[0].since is None


def test_any_number_of_locks_takes_three_round_trips(monkeypatch):
    for number in range(60):
        hold(f"report:{number}")
    trips = []
    execute = store().pipeline().__class__.execute
    monkeypatch.setattr(
        store().pipeline().__class__, "execute", lambda self, **options: trips.append(1) or execute(self, **options)
    )

    found = list_locks()

    assert len(trips) <= 3
    assert len(found.rows) == 50
    assert found.has_next
