"""Locks: one holder, growing tokens, and a holder that learns that it has lost."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from jobs import keys, locks
from jobs.connection import store
from jobs.locks.holding import renew_all
from tests.waiting import eventually

MINUTE = timedelta(minutes=1)


def take(resource: str = "report:42", holder: str = "ann", lease: timedelta = MINUTE) -> locks.Lease:
    return locks.acquire(resource, holder=holder, lease=lease, max_duration=MINUTE)


def test_only_one_of_many_gets_the_lock():
    def attempt(holder: int) -> bool:
        try:
            take(holder=str(holder))
        except locks.LockHeld:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(40))) == 1


def test_tokens_grow_even_when_the_counter_was_lost():
    first = take()
    locks.release(first)
    store().delete(keys.fence("report:42"))

    second = take()

    assert second.token > first.token


def test_a_lapsed_lease_can_be_taken_by_another_and_its_old_holder_learns_it():
    old = take(lease=timedelta(milliseconds=100))

    eventually(lambda: take(holder="bob"), unless=locks.LockHeld)

    with pytest.raises(locks.LeaseLost):
        old.check()
    with pytest.raises(locks.LeaseLost):
        locks.renew(old)
    with pytest.raises(locks.LeaseLost):
        locks.release(old)
    assert store().hget(keys.lock("report:42"), "holder") == b"bob"


def test_a_release_can_be_repeated():
    lease = take()

    locks.release(lease)
    locks.release(lease)

    assert not store().exists(keys.lock("report:42"))
    assert store().zcard(keys.LOCKS) == 0


def test_a_force_release_frees_only_the_hold_that_the_person_saw():
    seen = take()
    locks.release(seen)
    current = take(holder="bob")

    assert not locks.force_release("report:42", token=seen.token, by="ana", reason="hangs")
    assert locks.force_release("report:42", token=current.token, by="ana", reason="hangs")
    assert locks.force_release("report:42", token=current.token, by="ana", reason="hangs")


def test_many_leases_are_renewed_in_one_round_trip_and_the_lost_one_is_told():
    leases = [take(f"report:{number}") for number in range(120)]
    locks.force_release("report:7", token=leases[7].token, by="ana", reason="hangs")

    renew_all(leases)

    assert [lease.resource for lease in leases if lease.lost] == ["report:7"]
    assert store().hget(keys.lock("report:119"), "renewals") == b"1"


def test_the_last_holds_are_kept_with_how_long_and_how_each_ended():
    locks.release(take())
    current = take(holder="bob")
    locks.force_release("report:42", token=current.token, by="ana", reason="hangs")

    holds = [json.loads(row) for row in store().lrange(keys.holds("report:42"), 0, -1)]

    assert [(hold["holder"], hold["end"]) for hold in holds] == [("bob", "forced"), ("ann", "released")]


def test_after_a_force_release_the_holder_can_neither_renew_nor_release():
    lease = take()
    locks.force_release("report:42", token=lease.token, by="ana", reason="hangs")

    with pytest.raises(locks.LeaseLost):
        locks.renew(lease)
    with pytest.raises(locks.LeaseLost):
        locks.release(lease)


def test_renewals_end_at_four_times_the_maximum():
    lease = locks.acquire("report:42", holder="ann", lease=MINUTE, max_duration=timedelta(milliseconds=20))

    def renew_until_refused() -> bool:
        try:
            locks.renew(lease)
        except locks.LeaseLost:
            return True
        return False

    eventually(renew_until_refused)


@pytest.mark.parametrize(("resource", "lease"), [("", MINUTE), ("x" * 501, MINUTE), ("report:42", timedelta(0))])
def test_a_lock_that_makes_no_sense_is_refused(resource: str, lease: timedelta):
    with pytest.raises(ValueError, match=r"Name the resource|too long a name|too short"):
        take(resource, lease=lease)
