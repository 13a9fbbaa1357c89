"""A lease: a hold with an end, as its holder knows it."""

import os
import time
from dataclasses import dataclass, field
from datetime import timedelta

MILLISECOND = timedelta(milliseconds=1)
SHORTEST_LEASE = timedelta(milliseconds=100)
SAFETY = 0.1


class LockHeld(Exception):
    """Somebody else holds the lock."""


class LeaseLost(Exception):
    """The lock is no longer this holder's: it lapsed, was released by hand, or was held for four times its maximum."""


@dataclass(slots=True, eq=False)
class Lease:
    """A hold with an end. `token` grows with every hold of the resource; a store that checks it refuses late writes."""

    resource: str
    holder: str
    token: int
    lease: timedelta
    max_duration: timedelta
    ends: float = field(default=float("inf"), repr=False)
    lost: bool = False
    pid: int = field(default_factory=os.getpid, repr=False)

    def check(self) -> None:
        """Raise LeaseLost if the lease is gone, by this process's own monotonic clock and without a round trip."""
        if self.lost or time.monotonic() >= self.ends:
            message = f"The lock of {self.resource} is no longer held by {self.holder}."
            raise LeaseLost(message)

    def extend(self, began: float) -> None:
        """Count the lease anew from `began`, read before the request: the holder stops a tenth before the server."""
        self.ends = began + self.lease.total_seconds() * (1 - SAFETY)
