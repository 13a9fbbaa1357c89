"""What state a job is in: RQ's status and our `m_state`, in the words that people read."""

from typing import Final

WAITING: Final = "waiting"
IN_FLIGHT: Final = "in_flight"
SCHEDULED: Final = "scheduled"
RETRYING: Final = "retrying"
FINISHED: Final = "finished"
DEAD: Final = "dead"
STOPPED: Final = "stopped"
CANCELED: Final = "canceled"
DISCARDED: Final = "discarded"
DEFERRED: Final = "deferred"
UNKNOWN: Final = "unknown"

STATES = (WAITING, IN_FLIGHT, SCHEDULED, RETRYING, FINISHED, DEAD, STOPPED, DEFERRED, CANCELED, DISCARDED)

BY_STATUS = {
    "queued": WAITING,
    "ready_to_enqueue": WAITING,
    "started": IN_FLIGHT,
    "scheduled": SCHEDULED,
    "finished": FINISHED,
    "failed": DEAD,
    "stopped": STOPPED,
    "canceled": CANCELED,
    "created": DEFERRED,
    "deferred": DEFERRED,
    "rate_limited": DEFERRED,
}


def job_state(status: str, marker: str = "") -> str:
    """Return a job's state from RQ's `status` and the `m_state` beside it.

    A parked job is scheduled to RQ and waits, a discarded one is canceled to RQ.
    """
    state = BY_STATUS.get(status, UNKNOWN)
    if state == CANCELED and marker == DISCARDED:
        return DISCARDED
    if state == SCHEDULED:
        return {"retrying": RETRYING, "parked": WAITING}.get(marker, SCHEDULED)
    return state
