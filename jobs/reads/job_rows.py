"""One row per job, for every list of jobs."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from jobs import names
from jobs.reads import states

ADDRESSABLE = re.compile(rf".{{1,{names.LONGEST - 1}}}")
"""A name as `names.written` writes it, that was not cut."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where a list came upon a job: its queue, its score there, and what state that means; in flight its execution.

    The id is exact, with surrogates for bytes that are no UTF-8; the queue is as `names.written` writes it.
    """

    job_id: str
    queue: str
    state: str = states.UNKNOWN
    score: float | None = None
    execution: str = ""


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job in a table. `problem` says what is wrong with its record; `seen` is what a form about it carries."""

    id: str
    name: str
    arguments: str
    problem: str
    gone: bool
    queue: str
    state: str
    parked: bool
    resource: str
    attempt: int | None
    attempts: int | None
    error: str
    worker: str
    enqueued: datetime | None
    parked_at: datetime | None
    started: datetime | None
    ended: datetime | None
    due: datetime | None
    heartbeat: datetime | None
    verdict: str
    timeout: timedelta | None
    long_running: bool
    ended_by: str
    execution: str
    seen: str

    @property
    def addressable(self) -> bool:
        return bool(ADDRESSABLE.fullmatch(self.id))

    @property
    def over(self) -> bool:
        return self.state in (states.FINISHED, states.DEAD, states.STOPPED, states.CANCELED, states.DISCARDED)

    @property
    def since(self) -> datetime | None:
        """Since when it is in its state, as far as its record tells."""
        if self.state == states.IN_FLIGHT:
            return self.started
        return self.ended if self.over else self.parked_at or self.enqueued

    @property
    def retryable(self) -> bool:
        return not self.gone and self.state in (states.DEAD, states.STOPPED)

    @property
    def discardable(self) -> bool:
        return self.state not in (states.IN_FLIGHT, states.DISCARDED)

    @property
    def restorable(self) -> bool:
        return self.state == states.DISCARDED

    @property
    def stoppable(self) -> bool:
        return self.state == states.IN_FLIGHT and bool(self.execution)
