"""Locks on resources: one holder, a lease it renews, and a fencing token that stores can check."""

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.db.models import Q, QuerySet

from jobs import keys, scripts
from jobs.connection import StoreAway, store
from jobs.logs import log

MILLISECOND = timedelta(milliseconds=1)
SHORTEST_LEASE = timedelta(milliseconds=100)
POLL_S = 0.05
SAFETY = 0.1


class LockHeld(Exception):
    """Somebody else holds the lock."""


class LeaseLost(Exception):
    """The lock is no longer this holder's: it lapsed, was released by hand, or was held for four times its maximum."""


@dataclass(slots=True)
class Lease:
    """A hold with an end. `token` grows with every hold of the resource; a store that checks it refuses late writes."""

    resource: str
    holder: str
    token: int
    lease: timedelta
    max_duration: timedelta
    ends: float = field(repr=False)
    lost: bool = False

    def check(self) -> None:
        """Raise LeaseLost if the lease is gone, by this process's own monotonic clock and without a round trip."""
        if self.lost or time.monotonic() >= self.ends:
            message = f"The lock of {self.resource} is no longer held by {self.holder}."
            raise LeaseLost(message)


def acquire(resource: str, *, holder: str, lease: timedelta, max_duration: timedelta, job: str = "") -> Lease:
    """Take the lock of `resource` for the length of `lease`, or raise LockHeld at once: it never waits.

    `max_duration` is how long the work may take: held for twice that the lock counts as stuck, and after four times
    its renewals end. Raises ValueError for an empty resource and for a lease below 0.1 s.
    """
    if not resource:
        message = "Name the resource to lock: an empty name would be one lock for everything."
        raise ValueError(message)
    if lease < SHORTEST_LEASE:
        message = f"A lease of {lease} is too short to renew; give it at least {SHORTEST_LEASE}."
        raise ValueError(message)
    began = time.monotonic()
    token = scripts.run(
        store(),
        "lock_acquire",
        [keys.lock(resource), keys.fence(resource), keys.LOCKS],
        [
            keys.PREFIXES,
            resource,
            holder,
            uuid4().hex,
            lease // MILLISECOND,
            max_duration // MILLISECOND,
            socket.gethostname(),
            os.getpid(),
            job,
        ],
    )
    if token is None:
        message = f"{resource} is locked by somebody else."
        raise LockHeld(message)
    log.info("lock acquired", resource=resource, holder=holder, token=int(token))
    return Lease(resource, holder, int(token), lease, max_duration, _end(began, lease))


def renew(lease: Lease) -> None:
    """Start the lease anew. Raises LeaseLost when it is no longer this holder's."""
    began = time.monotonic()
    arguments: list[Any] = [keys.PREFIXES, lease.token, lease.lease // MILLISECOND]
    if not scripts.run(store(), "lock_renew", [keys.lock(lease.resource)], arguments):
        lease.lost = True
        lease.check()
    lease.ends = _end(began, lease.lease)


def release(lease: Lease) -> None:
    """Give the lock back and wake its first waiter. Raises LeaseLost when it was taken from this holder."""
    released = scripts.run(
        store(),
        "lock_release",
        [keys.lock(lease.resource), keys.LOCKS, keys.revoked(lease.resource)],
        [keys.PREFIXES, lease.resource, lease.token],
    )
    lease.lost = True
    if not released:
        lease.check()
    log.info("lock released", resource=lease.resource, holder=lease.holder, token=lease.token)


def force_release(resource: str, *, token: int, by: str, reason: str) -> bool:
    """Release a lock from outside: only the hold with `token`, the one that the person saw.

    True when that hold is released, also when it was before; False when the lock has changed hands or is free. Its
    old holder can neither renew nor fill the cache any more.
    """
    released = scripts.run(
        store(),
        "lock_force_release",
        [keys.lock(resource), keys.revoked(resource), keys.EVENTS],
        [keys.PREFIXES, resource, token, by, reason],
    )
    log.warning("lock released by hand", resource=resource, token=token, by=by, reason=reason, released=bool(released))
    return bool(released)


@contextmanager
def hold(
    resource: str,
    *,
    lease: timedelta = timedelta(seconds=30),
    wait: timedelta = timedelta(0),
    max_duration: timedelta | None = None,
    holder: str = "",
) -> Iterator[Lease]:
    """Hold the lock of `resource` around a block; a thread renews it at a third of the lease.

    Waits at most `wait` for it, then raises LockHeld. `max_duration` is five times the lease unless given. Raises
    LeaseLost at the end of the block when the lock was lost in between.
    """
    name = holder or f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"
    held = _wait_for(resource, name, lease, max_duration or 5 * lease, wait)
    stop = threading.Event()
    renewer = threading.Thread(target=_keep, args=(held, stop), name=f"renew {resource}", daemon=True)
    renewer.start()
    try:
        yield held
    finally:
        stop.set()
        renewer.join()
        release(held)


def fenced_update(queryset: QuerySet[Any], lease: Lease, *, fence: str = "fence", **values: Any) -> int:
    """Update rows that no newer token has written, and leave this one in the field `fence`; returns their number.

    Raises LeaseLost when no row may be written: the lease is gone, or a newer holder was there.
    """
    lease.check()
    current = Q(**{f"{fence}__lte": lease.token}) | Q(**{f"{fence}__isnull": True})
    updated = queryset.filter(current).update(**values, **{fence: lease.token})
    if not updated and queryset.exists():
        lease.lost = True
        lease.check()
    return updated


def _wait_for(resource: str, holder: str, lease: timedelta, max_duration: timedelta, wait: timedelta) -> Lease:
    deadline = time.monotonic() + wait.total_seconds()
    while True:
        try:
            return acquire(resource, holder=holder, lease=lease, max_duration=max_duration)
        except LockHeld:
            if time.monotonic() >= deadline:
                raise
            time.sleep(POLL_S)


def _keep(lease: Lease, stop: threading.Event) -> None:
    """Renew until told to stop or the lease is lost; a server that is away is asked again while the lease lasts."""
    while not stop.wait(lease.lease.total_seconds() / 3):
        try:
            renew(lease)
        except LeaseLost:
            log.warning("lease lost", resource=lease.resource, holder=lease.holder, token=lease.token)
            return
        except StoreAway:
            log.warning("lock not renewed, Redis is away", resource=lease.resource, holder=lease.holder)


def _end(began: float, lease: timedelta) -> float:
    """Return when the holder must stop: a tenth before the server's own end, counted from before the request."""
    return began + lease.total_seconds() * (1 - SAFETY)
