"""What runs by the clock: RQ's cron jobs, and the jobs that are scheduled."""

from dataclasses import dataclass

from jobs.reads import states
from jobs.reads.cron_jobs import CronQuestion, CronRow
from jobs.reads.job_lists import JobFilter, JobList
from jobs.reads.jobs import Listing
from jobs.reads.opening import Opening
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
    cron, first, opening = CronQuestion(), Trip(), Opening()
    opening.ask(first)
    cron.ask_names(first)
    first.go()
    for ask in (cron.ask_lengths, cron.ask_records):
        trip = Trip()
        ask(trip)
        trip.go()
    listing = Listing(JobFilter(state=states.SCHEDULED, page=page, start=start), opening.queues, opening.now)
    listing.search()
    return Schedules(cron=cron.answer(opening.now), jobs=listing.answer())
