"""How many of a queue's jobs in flight are past the time from which they count as long-running."""

from datetime import datetime

from jobs import keys
from jobs.names import exact
from jobs.reads.fields import line, moment, span_ms
from jobs.reads.trips import Answer, Trip

MOST = 500


class LongRunningQuestion:
    """The questions about a queue's jobs in flight, the first MOST of them, asked on two trips."""

    def __init__(self, queue: str) -> None:
        self._queue = queue

    def ask_members(self, trip: Trip) -> None:
        self._members = trip.ask("zrange", keys.started(exact(self._queue)), 0, MOST - 1)

    def ask_jobs(self, trip: Trip) -> None:
        ids = (line(member).rpartition(":")[0] for member in self._members.value or ())
        self._jobs = [trip.ask("hmget", keys.job(job_id), "started_at", "m_slow") for job_id in ids]

    def answer(self, now: datetime) -> int:
        """Return how many there are, once both trips are made."""
        return sum(_runs_long(job, now) for job in self._jobs)


def _runs_long(job: Answer, now: datetime) -> bool:
    started, slow = job.value or (None, None)
    since, slow_after = moment(started), span_ms(slow)
    return bool(since and slow_after and now - since > slow_after)
