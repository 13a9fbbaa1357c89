"""What stands around a job: its place on its queue, who serves the queue, and its resource's lock."""

from dataclasses import dataclass
from datetime import datetime

from jobs import keys
from jobs.names import exact
from jobs.reads import samples
from jobs.reads.fields import from_ms, from_seconds, line
from jobs.reads.trips import Trip
from jobs.reads.worker_beats import BeatsQuestion

FARTHEST = 10_000
"""Entries of a queue among which a job's place is looked for."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around a waiting job: its place on the queue, who serves the queue, and its resource's lock."""

    place: int | None = None
    suspended: bool = False
    paused: bool = False
    paused_by: str = ""
    paused_at: datetime | None = None
    listeners: int = 0
    per_minute: float | None = None
    due: datetime | None = None
    waiters_before: int | None = None
    lock_holder: str = ""
    lock_job: str = ""
    lock_acquired: datetime | None = None


class SurroundingsQuestion:
    """The questions about what stands around one job, asked on three trips: it is known after the first."""

    def __init__(self, job_id: str) -> None:
        self._id = job_id

    def ask_names(self, trip: Trip) -> None:
        self._suspended = trip.ask("exists", keys.SUSPENDED)
        self._workers = BeatsQuestion()
        self._workers.ask(trip)

    def ask_places(self, trip: Trip, queue: str, resource: str) -> None:
        """Ask for the job's places on `queue` and among the waiters of `resource`."""
        self._queue, name = queue, exact(queue)
        self._due = trip.ask("zscore", keys.scheduled(name), self._id)
        self._place = trip.ask("lpos", keys.queue(name), self._id, maxlen=FARTHEST)
        self._paused = trip.ask("hmget", keys.paused(name), "by", "at")
        self._lock = trip.ask("hmget", keys.lock(resource), "holder", "job", "acquired")
        self._waiters = trip.ask("zrank", keys.waiters(resource), self._id)
        self._samples = samples.ask_newest(trip, queue)

    def answer(self, now: datetime) -> Surroundings:
        by, at = self._paused.value or (None, None)
        holder, job, acquired = self._lock.value or (None, None, None)
        return Surroundings(
            place=self._place.value,
            suspended=bool(self._suspended.value),
            paused=by is not None or at is not None,
            paused_by=line(by),
            paused_at=from_ms(at),
            listeners=sum(self._queue in worker.queues for worker in self._workers.answer(now) if not worker.gone),
            per_minute=samples.ended_per_minute(self._samples, now),
            due=from_seconds(self._due.value),
            waiters_before=self._waiters.value,
            lock_holder=line(holder),
            lock_job=line(job),
            lock_acquired=from_ms(acquired),
        )
