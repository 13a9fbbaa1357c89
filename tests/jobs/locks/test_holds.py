"""Holding a lock around a block: it renews itself, waits in line, is told of its loss, and ends with its work."""

import os
import signal
import threading
import time
from datetime import timedelta

import pytest

from jobs import keys, locks
from jobs.connection import forget_connections, store
from tests.waiting import eventually

MINUTE = timedelta(minutes=1)
SHORT = timedelta(milliseconds=900)


def take(resource: str = "report:42", holder: str = "ann", lease: timedelta = MINUTE) -> locks.Lease:
    return locks.acquire(resource, holder=holder, lease=lease, max_duration=MINUTE)


def hold_on(holder: str, lease: timedelta = MINUTE) -> None:
    """Wait for the lock, take it and never let go."""
    with locks.hold("report:42", lease=lease, wait=MINUTE, holder=holder):
        time.sleep(60)


def in_child(work) -> int:
    """Fork a child that does `work`, and return its process id."""
    pid = os.fork()
    if pid == 0:
        forget_connections()
        try:
            work()
        finally:
            os._exit(0)
    return pid


def test_a_hold_renews_itself_beyond_its_lease():
    with locks.hold("report:42", lease=SHORT, max_duration=MINUTE) as lease:
        ends = time.monotonic() + 3 * SHORT.total_seconds()
        while time.monotonic() < ends:
            lease.check()
            time.sleep(0.02)

    take()


def test_a_hold_waits_for_a_lock_that_is_released_in_time():
    lease = take()
    threading.Timer(0.2, locks.release, [lease]).start()

    with locks.hold("report:42", wait=timedelta(seconds=5), holder="bob") as held:
        assert held.holder == "bob"


def test_a_hold_that_may_not_wait_is_refused():
    take()

    with pytest.raises(locks.LockHeld), locks.hold("report:42"):
        pass


def test_waiters_get_the_lock_in_the_order_in_which_they_came():
    lease, order = take(), []

    def wait(name: str) -> None:
        with locks.hold("report:42", wait=MINUTE, holder=name):
            order.append(name)

    threads = []
    for number in range(4):
        threads.append(threading.Thread(target=wait, args=(f"waiter {number}",)))
        threads[-1].start()
        eventually(lambda number=number: store().zcard(keys.waiters("report:42")) == number + 1)
    locks.release(lease)
    for thread in threads:
        thread.join()

    assert order == ["waiter 0", "waiter 1", "waiter 2", "waiter 3"]
    assert store().zcard(keys.waiters("report:42")) == store().zcard(keys.beats("report:42")) == 0


def test_a_releaser_that_wants_it_again_does_not_overtake_who_waits():
    with locks.hold("report:42"):
        waiter = in_child(lambda: hold_on("bob"))
        eventually(lambda: store().zcard(keys.waiters("report:42")))

    with pytest.raises(locks.LockHeld):
        take()
    eventually(lambda: store().hget(keys.lock("report:42"), "holder") == b"bob")
    os.kill(waiter, signal.SIGKILL)
    os.waitpid(waiter, 0)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_waiter_that_is_killed_or_stopped_stalls_nobody(number):
    lease = take()
    first = in_child(lambda: hold_on("first"))
    eventually(lambda: store().zcard(keys.waiters("report:42")) == 1)
    os.kill(first, number)
    got = threading.Event()

    def wait() -> None:
        with locks.hold("report:42", wait=MINUTE, holder="second"):
            got.set()

    second = threading.Thread(target=wait)
    second.start()
    eventually(lambda: store().zcard(keys.waiters("report:42")) == 2)
    locks.release(lease)

    assert got.wait(5)
    os.kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    second.join()


def test_one_who_waited_in_vain_leaves_the_line():
    take()

    with pytest.raises(locks.LockHeld), locks.hold("report:42", wait=timedelta(milliseconds=50)):
        pass

    assert store().zcard(keys.waiters("report:42")) == 0


def test_a_block_inside_a_block_is_the_same_hold():
    with locks.hold("report:42") as outer:
        with locks.hold("report:42") as inner:
            assert inner is outer
        outer.check()

    take()


def test_another_thread_is_not_inside():
    refused = []

    def want() -> None:
        try:
            take()
        except locks.LockHeld:
            refused.append(True)

    with locks.hold("report:42"):
        thread = threading.Thread(target=want)
        thread.start()
        thread.join()

    assert refused == [True]


def test_a_holder_is_told_of_a_force_release_long_before_its_next_renewal():
    with pytest.raises(locks.LeaseLost), locks.hold("report:42", lease=MINUTE) as lease:
        eventually(lambda: store().pubsub_numsub(keys.REVOCATIONS)[0][1])
        locks.force_release("report:42", token=lease.token, by="ana", reason="hangs")
        eventually(lambda: lease.lost)


def test_a_holder_stops_before_its_lease_can_have_lapsed_while_redis_is_silent():
    with pytest.raises(locks.LeaseLost), locks.hold("report:42", lease=SHORT) as lease:
        store().client_pause(1500)
        while True:
            lease.check()
            time.sleep(0.01)
    assert not store().exists(keys.lock("report:42"))


def test_a_forked_child_does_not_renew_its_parents_locks():
    with locks.hold("report:42", lease=SHORT) as lease:
        child = in_child(lambda: time.sleep(5))
        eventually(lambda: store().hget(keys.lock("report:42"), "renewals") == b"2")
        lease.check()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_killed_holders_lock_goes_to_who_waits_soon_after_its_lease():
    child = in_child(lambda: hold_on("first", lease=SHORT))
    eventually(lambda: store().exists(keys.lock("report:42")))
    old = int(store().hget(keys.lock("report:42"), "token"))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)

    with locks.hold("report:42", wait=MINUTE, holder="next") as lease:
        assert lease.token > old
