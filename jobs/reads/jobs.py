"""The jobs: lists of those in one state, and the way to the one whose id is known."""

from dataclasses import dataclass

from jobs import keys
from jobs.reads.fields import server_time
from jobs.reads.job_lists import JobFilter, JobList
from jobs.reads.job_rows import ADDRESSABLE
from jobs.reads.job_windows import WindowQuestion
from jobs.reads.queues import queue_names
from jobs.reads.trips import Trip


@dataclass(frozen=True, slots=True)
class Jump:
    """The one thing that bears exactly the name that was looked for."""

    kind: str
    name: str


def look_up(name: str) -> Jump | None:
    """Return the job with this id or the lock of this resource, in one round trip."""
    trip = Trip()
    job, lock = trip.ask("exists", keys.job(name)), trip.ask("exists", keys.lock(name))
    trip.go()
    if job.value and ADDRESSABLE.fullmatch(name):
        return Jump("job", name)
    return Jump("lock", name) if lock.value else None


def list_jobs(wanted: JobFilter) -> JobList:
    """Return a page of the jobs that `wanted` describes, in four round trips.

    A bounded window is searched, `wanted.window` moves on by one, and the list says how far it reached. Waiting jobs
    come oldest first, those in flight longest first, scheduled ones soonest first, all others newest first.
    Raises a member of `jobs.connection.StoreAway`.
    """
    start = Trip()
    clock, known = start.ask("time"), start.ask("smembers", keys.QUEUES)
    start.go()
    question = WindowQuestion(wanted, queue_names(known), server_time(clock.value))
    for ask in (question.ask_entries, question.ask_records, question.ask_payloads):
        trip = Trip()
        ask(trip)
        trip.go()
    return question.answer()
