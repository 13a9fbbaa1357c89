"""The list of locks and a lock's own page, also when what lies in Redis is broken."""

import os
from datetime import timedelta

import pytest
from rq import Worker

from jobs import keys, locks
from jobs.connection import store
from jobs.reads.locks import list_locks, read_nearest_to_stuck, show_lock
from tests.factories import LOCKED, MINUTE, claimant, enqueue, finish, hold, park, start
from tests.waiting import eventually

MILLISECOND = timedelta(milliseconds=1)


def test_the_nearest_to_being_stuck_comes_first():
    hold("report:1")
    hold("report:2", max_duration=MINUTE / 2)
    hold("report:3", max_duration=MILLISECOND)

    found = eventually(lambda: rows if (rows := list_locks().rows)[0].stuck else None)

    assert [row.resource for row in found] == ["report:3", "report:2", "report:1"]
    assert [row.stuck for row in found] == [True, False, False]


def test_a_released_lock_is_gone_from_the_list():
    locks.release(hold("report:1"))

    assert list_locks().rows == ()


def test_a_lock_that_lapsed_is_left_out_although_the_index_names_it():
    locks.acquire("report:1", holder="ann", lease=100 * MILLISECOND, max_duration=MINUTE)

    eventually(lambda: not list_locks().rows)

    assert store().zcard(keys.LOCKS) == 1


def test_the_lease_of_a_lock_that_was_never_renewed_counts_from_its_beginning():
    lease = hold("report:1")

    (fresh,) = list_locks().rows
    locks.renew(lease)
    (renewed,) = list_locks().rows

    assert (fresh.renewals, renewed.renewals) == (0, 1)
    assert fresh.lease_ends == fresh.since + MINUTE
    assert renewed.lease_ends >= fresh.lease_ends


def test_a_hold_tells_its_process_thread_and_how_long_it_waited():
    hold("report:42")

    found = show_lock("report:42").hold

    assert (found.pid, found.thread, found.waited) == (os.getpid(), "MainThread", timedelta(0))


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


@pytest.mark.parametrize(("page", "rows", "has_next"), [(1, 50, True), (2, 10, False), (3, 0, False)])
def test_a_page_holds_fifty_locks(page: int, rows: int, has_next: bool):
    for number in range(60):
        hold(f"report:{number}")

    found = list_locks(page)

    assert (len(found.rows), found.has_next) == (rows, has_next)


def test_as_many_are_read_as_were_asked_for_beyond_a_page():
    for number in range(60):
        hold(f"report:{number}")

    assert len(read_nearest_to_stuck(55).rows) == 55


def test_any_number_of_locks_takes_as_many_round_trips_as_one(round_trips: list[int]):
    enqueue(LOCKED, report_id=0)
    start()
    list_locks()
    for_one = len(round_trips)

    for number in range(1, 60):
        hold(f"report:{number}", max_duration=timedelta(days=1))
    round_trips.clear()
    list_locks()

    assert len(round_trips) == for_one == 3


def test_any_number_of_waiters_and_last_holds_takes_two_round_trips(round_trips: list[int]):
    for _ in range(5):
        finish_one("report:42")
    hold("report:42")
    for _ in range(5):
        park()
    round_trips.clear()

    detail = show_lock("report:42")

    assert len(round_trips) == 2
    assert (len(detail.waiters), len(detail.past.rows)) == (5, 5)


def finish_one(resource: str) -> None:
    enqueue(LOCKED, report_id=int(resource.partition(":")[2]))
    finish(start("reports"))
