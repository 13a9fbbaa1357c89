"""The dead letters, newest first. RQ files stopped jobs in the same registry; they are a list of their own."""

from dataclasses import replace

from jobs.reads import states
from jobs.reads.job_lists import JobFilter, JobList
from jobs.reads.jobs import list_jobs


def list_dead_letters(wanted: JobFilter, *, stopped: bool = False) -> JobList:
    """Return a page of the dead letters that `wanted` describes, or of the stopped jobs, in four round trips.

    Raises a member of `jobs.connection.StoreAway`.
    """
    return list_jobs(replace(wanted, state=states.STOPPED if stopped else states.DEAD))
