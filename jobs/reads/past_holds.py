"""The last holds of a lock that were released: by whom, how long each waited and held, and how it ended."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from jobs import keys
from jobs.reads.fields import from_ms, line, records, span_ms
from jobs.reads.job_payloads import ask_name, read_name
from jobs.reads.trips import Answer, Trip

MOST = 20
FORCED = "forced"


@dataclass(frozen=True, slots=True)
class PastHold:
    """A hold that ended; `forced` by a person, or else released by its holder. `function` is that of a job."""

    token: str
    holder: str
    job_id: str
    function: str
    acquired: datetime | None
    waited: timedelta
    held: timedelta
    forced: bool


@dataclass(frozen=True, slots=True)
class PastHolds:
    """The last holds, newest first, with the 95th percentiles over them; None where there is none."""

    rows: tuple[PastHold, ...]
    held_p95: timedelta | None
    waited_p95: timedelta | None


class PastHoldsQuestion:
    """The questions about the last holds, asked on two trips: what is kept of them, then the names of their jobs."""

    def __init__(self, resource: str) -> None:
        self.resource = resource

    def ask_holds(self, trip: Trip) -> None:
        self._holds = trip.ask("lrange", keys.holds(self.resource), 0, MOST - 1)

    def ask_jobs(self, trip: Trip) -> None:
        self._kept = [kept for kept in records(self._holds.value) if kept]
        self._jobs = [ask_name(trip, line(kept["job"])) if kept.get("job") else Answer() for kept in self._kept]

    def answer(self) -> PastHolds:
        """Return the last holds, once both trips are made."""
        rows = tuple(_build(kept, job) for kept, job in zip(self._kept, self._jobs, strict=True))
        return PastHolds(
            rows=rows,
            held_p95=_percentile_95([row.held for row in rows]),
            waited_p95=_percentile_95([row.waited for row in rows]),
        )


def _build(kept: dict[str, Any], job: Answer) -> PastHold:
    return PastHold(
        token=line(kept.get("token"), 30),
        holder=line(kept.get("holder")),
        job_id=line(kept.get("job")),
        function=read_name(job),
        acquired=from_ms(kept.get("acquired")),
        waited=span_ms(kept.get("waited")) or timedelta(0),
        held=span_ms(kept.get("held")) or timedelta(0),
        forced=kept.get("end") == FORCED,
    )


def _percentile_95(spans: list[timedelta]) -> timedelta | None:
    """Return the span that 95 % do not exceed (nearest rank)."""
    return sorted(spans)[math.ceil(0.95 * len(spans)) - 1] if spans else None
