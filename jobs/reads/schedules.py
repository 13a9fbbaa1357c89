"""What runs by the clock: RQ's cron jobs, and the jobs that are scheduled."""

from dataclasses import dataclass

from jobs import keys
from jobs.reads import states
from jobs.reads.cron_jobs import CronQuestion, CronRow
from jobs.reads.fields import server_time
from jobs.reads.job_lists import JobFilter, JobList
from jobs.reads.jobs import Listing
from jobs.reads.queues import queue_names
from jobs.reads.trips import Trip


@dataclass(frozen=True, slots=True)
class Schedules:
    """The cron jobs, soonest first, and one page of the scheduled jobs, soonest first."""

    cron: tuple[CronRow, ...]
    jobs: JobList


def list_schedules(*, page: int = 1, start: int = 0) -> Schedules:
    """Return the cron jobs and a page of the scheduled jobs, `start` entries of each queue passed over.

    Takes seven round trips. Raises a member of `jobs.connection.StoreAway`.
    """
    cron, first = CronQuestion(), Trip()
    clock, known = first.ask("time"), first.ask("smembers", keys.QUEUES)
    cron.ask_names(first)
    first.go()
    for ask in (cron.ask_lengths, cron.ask_records):
        trip = Trip()
        ask(trip)
        trip.go()
    now = server_time(clock.value)
    listing = Listing(JobFilter(state=states.SCHEDULED, page=page, start=start), queue_names(known), now)
    listing.search()
    return Schedules(cron=cron.answer(now), jobs=listing.answer())
