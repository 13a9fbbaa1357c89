"""What a worker has done: counted in memory and written about once a second, so that no job pays for it."""

import time
from datetime import datetime, timedelta

from redis import Redis
from redis.exceptions import RedisError

from jobs import durations, keys
from jobs.claims import Claim

EVERY_S = 1.0


class Accounts:
    """The counters in a worker's record that RQ's readers know, and how long its jobs waited and ran."""

    def __init__(self, worker: str) -> None:
        self._key = keys.worker(worker)
        self._ended = {True: 0, False: 0}
        self._worked = timedelta(0)
        self._flushed = time.monotonic()

    def note(self, claim: Claim, *, succeeded: bool, ran: timedelta) -> None:
        """Count an attempt that ended."""
        self._ended[succeeded] += 1
        self._worked += ran
        durations.note(claim.queue, waited=_waited(claim), ran=ran)

    def flush(self, client: Redis, *, at_once: bool = False) -> None:
        """Write what was counted, unless that was done less than a second ago. What cannot be written is kept."""
        now = time.monotonic()
        if not at_once and now - self._flushed < EVERY_S:
            return
        self._flushed = now
        durations.flush(client)
        if not any(self._ended.values()):
            return
        pipeline = client.pipeline(transaction=True)
        pipeline.hincrby(self._key, "successful_job_count", self._ended[True])
        pipeline.hincrby(self._key, "failed_job_count", self._ended[False])
        pipeline.hincrbyfloat(self._key, "total_working_time", self._worked.total_seconds())
        try:
            pipeline.execute()
        except RedisError:
            return
        self._ended, self._worked = {True: 0, False: 0}, timedelta(0)


def _waited(claim: Claim) -> timedelta | None:
    """Return how long a job waited from its enqueueing until it was taken; None where its record does not say."""
    try:
        enqueued = datetime.fromisoformat(claim.text("enqueued_at")).timestamp()
    except ValueError:
        return None
    return timedelta(milliseconds=claim.number("m_started")) - timedelta(seconds=enqueued)
