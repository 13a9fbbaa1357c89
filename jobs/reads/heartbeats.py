"""Whether whoever should report regularly still does."""

from datetime import datetime, timedelta
from typing import Final

ON_TIME: Final = "on time"
LATE: Final = "late"
GONE: Final = "gone"

STOCK_BUSY = timedelta(seconds=90)
STOCK_IDLE = timedelta(seconds=480)
"""How long RQ's own worker may be silent before its record ends: while it runs a job, and while it waits for one."""


def judge(heartbeat: datetime | None, *, patience: timedelta, now: datetime) -> str:
    """Return the verdict on a heartbeat of which three are due within `patience`: late after two, gone after all."""
    if heartbeat is None or now - heartbeat > patience:
        return GONE
    return LATE if now - heartbeat > patience * 2 / 3 else ON_TIME
