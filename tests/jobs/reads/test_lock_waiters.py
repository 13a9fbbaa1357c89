"""The line before a lock: parked jobs and code that waits, in order, and whether each still does."""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from jobs import keys, locks
from jobs.connection import forget_connections, store
from jobs.reads.lock_waiters import Waiter
from jobs.reads.locks import show_lock
from tests.factories import LOCKED, MINUTE, hold, park
from tests.waiting import eventually


def line() -> tuple[Waiter, ...]:
    return show_lock("report:42").waiters


def wait_in_line() -> None:
    with locks.hold("report:42", wait=MINUTE):
        pass


@contextmanager
def waiting_code(lease: locks.Lease) -> Iterator[None]:
    """Let a thread wait in line for a lock; at the end its hold is released, so that the thread ends."""
    thread = threading.Thread(target=wait_in_line)
    before = len(line())
    thread.start()
    eventually(lambda: len(line()) == before + 1)
    yield
    locks.release(lease)
    thread.join()


@pytest.fixture
def killed_waiter() -> Callable[[], None]:
    """Return a function that lets a process wait in line and kills it there."""

    def kill() -> None:
        pid = os.fork()
        if pid == 0:
            forget_connections()
            wait_in_line()
            os._exit(0)
        eventually(line)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

    return kill


def test_jobs_stand_in_the_order_in_which_they_were_parked():
    hold("report:42")
    first, second = park(), park()

    detail = show_lock("report:42")

    assert [(waiter.job_id, waiter.function) for waiter in detail.waiters] == [(first, LOCKED), (second, LOCKED)]
    assert detail.waiting == 2


def test_code_that_waits_stands_in_the_same_line_with_its_host_and_process():
    with waiting_code(hold("report:42")):
        code = line()[0]

        assert (code.job_id, code.host, code.pid, code.verdict) == ("", socket.gethostname(), os.getpid(), "alive")
        assert code.since is not None


def test_code_that_was_killed_in_line_is_gone(killed_waiter: Callable[[], None]):
    hold("report:42")
    killed_waiter()

    assert eventually(lambda: line()[0].verdict == "gone")


def test_the_waiter_that_was_woken_is_the_one_the_lock_is_reserved_for():
    lease = hold("report:42")
    park()
    park()

    locks.release(lease)

    assert [waiter.woken for waiter in line()] == [True, False]


def test_a_line_that_is_broken_breaks_no_page():
    hold("report:42")
    store().zadd(keys.waiters("report:42"), {"hold:": 1, "hold:odd": 2, b"\xff": 3})
    store().set(keys.beats("report:42"), "not a sorted set")
    store().lpush(keys.reserved("report:42"), "not a string")

    found = line()

    assert [waiter.verdict for waiter in found] == ["gone", "gone", ""]
    assert [waiter.pid for waiter in found] == [None, None, None]
