"""Whether whoever should report regularly still does."""

from datetime import datetime, timedelta
from typing import Final

ALIVE: Final = "alive"
LATE: Final = "late"
GONE: Final = "gone"

STOCK_BUSY = timedelta(seconds=90)
STOCK_IDLE = timedelta(seconds=480)
"""How long RQ's own worker may be silent before its record ends: while it runs a job, and while it waits for one."""


def judge_heartbeat(heard: datetime | None, *, now: datetime, visibility: timedelta | None, busy: bool) -> str:
    """Return the verdict on whoever was last heard at `heard`: alive, late or gone.

    Three heartbeats are due within the `visibility` timeout: late after two, gone after all. A stock worker has no such
    timeout, and RQ's own patience counts.
    """
    patience = visibility or (STOCK_BUSY if busy else STOCK_IDLE)
    if heard is None or now - heard > patience:
        return GONE
    return LATE if now - heard > patience * 2 / 3 else ALIVE
