"""Take, renew and give back a lock: one script each, and each may be repeated when its answer was lost."""

import os
import socket
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from jobs import keys, names, scripts
from jobs.connection import store
from jobs.locks.leases import MILLISECOND, SHORTEST_LEASE, Lease, LockHeld
from jobs.logs import log

MOST_AT_ONCE = 100
HOST = socket.gethostname()


def acquire(resource: str, *, holder: str, lease: timedelta, max_duration: timedelta, job: str = "") -> Lease:
    """Take the lock of `resource` for the length of `lease`, or raise LockHeld at once: it never waits.

    `max_duration` is how long the work may take: held for twice that the lock counts as stuck, and after four times
    its renewals end. Raises ValueError for an empty resource, for one of over 500
    characters, and for a lease below 0.1 s.
    """
    taken = request_lock(resource, holder=holder, lease=lease, max_duration=max_duration, job=job)
    if isinstance(taken, timedelta):
        message = f"{resource} is locked by somebody else."
        raise LockHeld(message)
    return taken


def request_lock(
    resource: str,
    *,
    holder: str,
    lease: timedelta,
    max_duration: timedelta,
    job: str = "",
    request: str = "",
    waiter: str = "",
) -> Lease | timedelta:
    """Return the lease; or, while the lock is held, after how long it may be free by itself.

    The same `request` gets the same hold. A `waiter` is put in line, and kept there by asking again within a second.
    """
    if not resource:
        message = "Name the resource to lock: an empty name would be one lock for everything."
        raise ValueError(message)
    if not names.fits(resource):
        message = f"The resource {resource[:50]}… has too long a name; use {names.LONGEST} characters at most."
        raise ValueError(message)
    if lease < SHORTEST_LEASE:
        message = f"A lease of {lease} is too short to renew; give it at least {SHORTEST_LEASE}."
        raise ValueError(message)
    began = time.monotonic()
    answer = scripts.run(
        store(),
        "lock_acquire",
        [keys.lock(resource), keys.waiters(resource), keys.beats(resource)],
        [
            resource,
            holder,
            request or os.urandom(16).hex(),
            lease // MILLISECOND,
            max_duration // MILLISECOND,
            HOST,
            os.getpid(),
            threading.current_thread().name,
            job,
            waiter,
        ],
    )
    if isinstance(answer, int):
        return -answer * MILLISECOND
    held = Lease(resource, holder, int(answer), lease, max_duration)
    held.extend(began)
    log.info("lock acquired", resource=resource, holder=holder, token=held.token)
    return held


def renew(lease: Lease) -> None:
    """Start the lease anew. Raises LeaseLost when it is no longer this holder's."""
    renew_all([lease])
    lease.check()


def renew_all(leases: Sequence[Lease]) -> None:
    """Start many leases anew, a hundred in a round trip; those that are no longer the holder's are marked as lost."""
    for first in range(0, len(leases), MOST_AT_ONCE):
        some = leases[first : first + MOST_AT_ONCE]
        began = time.monotonic()
        arguments: list[Any] = [part for lease in some for part in (lease.token, lease.lease // MILLISECOND)]
        lock_keys = [keys.lock(lease.resource) for lease in some]
        answers = scripts.run(store(), "locks_renew", lock_keys, arguments)
        for lease, renewed in zip(some, answers, strict=True):
            if renewed and not lease.lost:
                lease.extend(began)
            else:
                lease.lost = True


def release(lease: Lease) -> None:
    """Give the lock back and wake its first waiter. Raises LeaseLost when it was taken from this holder."""
    released = scripts.run(
        store(),
        "lock_release",
        [keys.fence(lease.resource), keys.LOCKS],
        [lease.resource, lease.token],
    )
    lease.lost = True
    if not released:
        lease.check()
    log.info("lock released", resource=lease.resource, holder=lease.holder, token=lease.token)


def force_release(resource: str, *, token: int, by: str, reason: str) -> bool:
    """Release a lock from outside: only the hold with `token`, the one that the person saw.

    True when that hold is released, also when it was before; False when the lock has changed hands or is free. Its
    old holder is told at once, and can neither renew nor fill the cache any more.
    """
    released = scripts.run(
        store(),
        "lock_force_release",
        [keys.lock(resource), keys.revoked(resource), keys.EVENTS, keys.REVOCATIONS],
        [resource, token, by, reason],
    )
    log.warning("lock released by hand", resource=resource, token=token, by=by, reason=reason, released=bool(released))
    return bool(released)
