"""The last holds of a lock: who, how long, how it ended, and the percentiles over them."""

from datetime import timedelta

from jobs import keys, locks
from jobs.connection import store
from jobs.reads.fields import server_time
from jobs.reads.locks import show_lock
from jobs.reads.past_holds import PastHolds
from tests.factories import LOCKED, enqueue, finish, hold, start
from tests.waiting import eventually

MILLISECOND = timedelta(milliseconds=1)


def past() -> PastHolds:
    return show_lock("report:42").past


def test_the_newest_comes_first_and_says_how_it_ended():
    locks.release(hold("report:42", holder="ann"))
    forced = hold("report:42", holder="bob")
    locks.force_release("report:42", token=forced.token, by="ana", reason="hangs")

    rows = past().rows

    assert [(row.holder, row.forced) for row in rows] == [("bob", True), ("ann", False)]
    assert rows[0].token == str(forced.token)


def test_a_jobs_hold_is_named_by_its_function():
    (job_id,) = enqueue(LOCKED, report_id=42)
    finish(start())

    (row,) = past().rows

    assert (row.job_id, row.function) == (job_id, LOCKED)


def test_how_long_it_was_held_is_told():
    lease = hold("report:42")
    since = show_lock("report:42").hold.since
    eventually(lambda: server_time(store().time()) - since > 20 * MILLISECOND)
    locks.release(lease)

    (row,) = past().rows

    assert row.acquired == since
    assert row.held >= 20 * MILLISECOND


def test_the_percentiles_are_over_the_holds_that_are_kept():
    for _ in range(3):
        locks.release(hold("report:42"))
    found = past()

    assert found.held_p95 == max(row.held for row in found.rows)
    assert found.waited_p95 == timedelta(0)


def test_a_lock_that_nobody_released_has_no_past():
    assert past() == PastHolds(rows=(), held_p95=None, waited_p95=None)


def test_a_broken_record_breaks_no_page():
    store().rpush(keys.holds("report:42"), "{", "[]", '{"held": "long", "waited": [], "acquired": {}, "job": 7}')

    (row,) = past().rows

    assert (row.job_id, row.held, row.acquired) == ("7", timedelta(0), None)
