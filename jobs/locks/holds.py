"""Hold a lock around a block of code."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta

from jobs.locks import keeping
from jobs.locks.holding import release
from jobs.locks.leases import Lease
from jobs.locks.waiting import wait_for_lock

_held: ContextVar[dict[str, Lease]] = ContextVar("mandor_held", default={})  # noqa: B039  it is never changed in place


@contextmanager
def hold(
    resource: str,
    *,
    lease: timedelta = timedelta(seconds=30),
    wait: timedelta = timedelta(0),
    max_duration: timedelta | None = None,
    holder: str = "",
) -> Iterator[Lease]:
    """Hold the lock of `resource` around a block; it renews itself at a third of the lease.

    Waits in line at most `wait` for it, then raises LockHeld. `max_duration` is five times the lease unless given.
    Inside a job, or a block, that holds the resource already, it is the same hold (a forked child is outside). Raises
    LeaseLost at the end of the block when the lock was lost in between.
    """
    outer = _held.get().get(resource)
    if outer and outer.pid == os.getpid():
        outer.check()
        yield outer
        return
    name = holder or f"{socket.gethostname()}:{os.getpid()}:{threading.current_thread().name}"
    held = wait_for_lock(resource, holder=name, lease=lease, max_duration=max_duration or 5 * lease, wait=wait)
    keeping.keep(held)
    before = _held.set({**_held.get(), resource: held})
    try:
        yield held
    finally:
        _held.reset(before)
        keeping.drop(held)
        release(held)


def inherit(resource: str, *, holder: str, token: int, max_duration: timedelta) -> Lease:
    """Make the lock that a worker took for a job known inside it, where `hold` of the same resource is then this hold.

    The worker renews it, and stops the job when it is lost.
    """
    held = Lease(resource, holder, token, lease=max_duration, max_duration=max_duration)
    _held.set({**_held.get(), resource: held})
    return held
