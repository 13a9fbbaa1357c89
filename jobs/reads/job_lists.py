"""What a list of jobs shows: which were asked for, and the page of them that was found."""

from dataclasses import dataclass

from jobs.reads import states
from jobs.reads.job_rows import JobRow
from jobs.reads.tallies import Tally

PAGE = 50


@dataclass(frozen=True, slots=True)
class JobFilter:
    """What a list shows: one state, of one queue or of all, of functions whose path has `function` in it."""

    state: str = states.WAITING
    queue: str = ""
    function: str = ""
    page: int = 1
    window: int = 0


@dataclass(frozen=True, slots=True)
class JobList:
    """One page of the jobs that match, how far the search reached, and the counts of all states."""

    rows: tuple[JobRow, ...]
    filter: JobFilter
    queues: tuple[str, ...]
    counts: dict[str, Tally]
    matches: int
    page: int
    pages: int
    searched: int
    held: int
    skipped: int
    more: bool

    @property
    def next_window(self) -> int:
        return self.filter.window + 1

    @property
    def first(self) -> int:
        return (self.page - 1) * PAGE + 1 if self.rows else 0

    @property
    def last(self) -> int:
        return self.first + len(self.rows) - 1 if self.rows else 0
