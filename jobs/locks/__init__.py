"""Locks on resources: one holder, a lease it renews, and a fencing token that stores can check.

Left out on purpose: read/write and counting locks, and agreement over several masters. A fencing token that the store
checks is worth more than either.
"""

from jobs.locks.fencing import fenced_update
from jobs.locks.holding import acquire, force_release, release, renew
from jobs.locks.holds import hold, inherit
from jobs.locks.leases import Lease, LeaseLost, LockHeld

__all__ = [
    "Lease",
    "LeaseLost",
    "LockHeld",
    "acquire",
    "fenced_update",
    "force_release",
    "hold",
    "inherit",
    "release",
    "renew",
]
