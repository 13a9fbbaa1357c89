"""Why a job is not running: the one thing it waits for."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from jobs.reads import states
from jobs.reads.job_rows import JobRow
from jobs.reads.job_surroundings import Surroundings

LOCKED: Final = "locked"
FREED: Final = "freed"
SUSPENDED: Final = "suspended"
PAUSED: Final = "paused"
UNHEARD: Final = "unheard"
BEHIND: Final = "behind"
LOST: Final = "lost"
DUE: Final = "due"
OVERDUE: Final = "overdue"
DEPENDENT: Final = "dependent"

GRACE = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a job is not running: the kind of reason, and what the sentence about it names."""

    kind: str
    around: Surroundings

    @property
    def about(self) -> timedelta | None:
        """About how long the jobs before it take, by the throughput of the newest minute."""
        if not self.around.place or not self.around.per_minute:
            return None
        return timedelta(minutes=self.around.place / self.around.per_minute)


def find_reason(row: JobRow, around: Surroundings, now: datetime) -> Reason | None:
    """Return why the job is not running; None where it runs or is at its end."""
    if row.parked:
        return Reason(LOCKED if around.lock_acquired or around.lock_holder else FREED, around)
    if row.state == states.WAITING:
        return Reason(_why_waiting(around), around)
    if row.state in (states.SCHEDULED, states.RETRYING):
        late = around.due is not None and now - around.due > GRACE
        return Reason(OVERDUE if late else DUE, around)
    return Reason(DEPENDENT, around) if row.state == states.DEFERRED else None


def _why_waiting(around: Surroundings) -> str:
    if around.suspended:
        return SUSPENDED
    if around.paused:
        return PAUSED
    if not around.listeners:
        return UNHEARD
    return LOST if around.place is None else BEHIND
