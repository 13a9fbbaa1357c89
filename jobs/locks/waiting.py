"""Wait in line for a lock: woken by its release, in order of arrival, and passed over when dead."""

import itertools
import os
import socket
import time
from datetime import timedelta
from uuid import uuid4

from jobs import keys, scripts
from jobs.connection import store
from jobs.locks.holding import request_lock
from jobs.locks.leases import Lease, LockHeld

LONGEST_SLEEP_S = 0.35
LEAST_SLEEP_S = 0.005

_waiters = itertools.count(1)


def wait_for_lock(resource: str, *, holder: str, lease: timedelta, max_duration: timedelta, wait: timedelta) -> Lease:
    """Take the lock of `resource`, in line with all who wait for it, within `wait`; else raise LockHeld.

    Sleeps on a list of its own, where a release puts a token, and asks again every 0.35 s: that is its heartbeat,
    and finds a lock that lapsed without a release.
    """
    waiter = f"hold:{socket.gethostname()}:{os.getpid()}:{next(_waiters)}" if wait else ""
    request, deadline = uuid4().hex, time.monotonic() + wait.total_seconds()
    try:
        while True:
            taken = request_lock(
                resource,
                holder=holder,
                lease=lease,
                max_duration=max_duration,
                request=request,
                waiter=waiter,
            )
            if isinstance(taken, Lease):
                waiter = ""
                return taken
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                message = f"{resource} is locked by somebody else, also after waiting for {wait}."
                raise LockHeld(message)
            sleep_s = max(LEAST_SLEEP_S, min(left_s, taken.total_seconds(), LONGEST_SLEEP_S))
            store().blpop([keys.lock_wake(waiter)], timeout=sleep_s)
    finally:
        if waiter:
            _leave(resource, waiter)


def _leave(resource: str, waiter: str) -> None:
    lock_keys = [keys.waiters(resource), keys.beats(resource), keys.reserved(resource)]
    scripts.run(store(), "lock_leave", lock_keys, [resource, waiter])
