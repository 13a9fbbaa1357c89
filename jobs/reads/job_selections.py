"""What a person selected from a list: how many jobs of which function and error, and how many changed meanwhile."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jobs.names import written
from jobs.reads.fields import server_time
from jobs.reads.job_records import JobQuestion
from jobs.reads.job_rows import Found, JobRow
from jobs.reads.trips import Trip
from jobs.seen import SeenJob


@dataclass(frozen=True, slots=True)
class SelectedGroup:
    """Selected jobs of one function with one error."""

    function: str
    error: str
    count: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected jobs that still are as they were seen, by function and error, and how many are not."""

    groups: tuple[SelectedGroup, ...]
    changed: int

    @property
    def count(self) -> int:
        return sum(group.count for group in self.groups)


def summarise(jobs: Sequence[SeenJob], fits: Callable[[JobRow], bool]) -> Selection:
    """Return what the selected jobs are, the largest group first, in one round trip; `fits` is what makes one eligible.

    Raises a member of `jobs.connection.StoreAway`.
    """
    trip = Trip()
    clock = trip.ask("time")
    questions = [JobQuestion(Found(job.job_id, written(job.queue))) for job in jobs]
    for question in questions:
        question.ask_fields(trip)
    trip.go()
    now = server_time(clock.value)
    rows = [
        question.answer(now)
        for job, question in zip(jobs, questions, strict=True)
        if job.token in ("", question.seen.token)
    ]
    eligible = Counter((row.name, row.error) for row in rows if fits(row))
    groups = tuple(SelectedGroup(*what, count) for what, count in eligible.most_common())
    return Selection(groups, len(jobs) - sum(eligible.values()))
