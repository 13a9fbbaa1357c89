"""What a list of jobs shows: which were asked for, and the page of them that was found."""

from dataclasses import dataclass

from jobs.reads import states
from jobs.reads.job_rows import JobRow
from jobs.reads.job_search import NOTHING, JobSearch
from jobs.reads.tallies import Tally

PAGE = 50


@dataclass(frozen=True, slots=True)
class JobFilter:
    """What a list shows: one state, of one queue or of all, what was searched for.

    `start` is how many entries of each queue are passed over; `as_of` the score of the newest job that counts, so that
    a list which grows at its top stands still.
    """

    state: str = states.WAITING
    queue: str = ""
    search: JobSearch = NOTHING
    page: int = 1
    start: int = 0
    as_of: float | None = None

    @property
    def narrowed(self) -> bool:
        return bool(self.queue or self.search)


@dataclass(frozen=True, slots=True)
class JobList:
    """One page of the jobs that match, how far the search reached, and the counts of all states.

    `as_of` is what keeps the list still from now on, and `newer` how many jobs came since it was drawn.
    """

    rows: tuple[JobRow, ...]
    filter: JobFilter
    queues: tuple[str, ...]
    counts: dict[str, Tally]
    matches: int
    page: int
    pages: int
    searched: int
    held: int
    more: bool
    next_start: int
    as_of: float | None
    newer: int

    @property
    def first(self) -> int:
        return (self.page - 1) * PAGE + 1 if self.rows else 0

    @property
    def last(self) -> int:
        return self.first + len(self.rows) - 1 if self.rows else 0
