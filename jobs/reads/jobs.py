"""The lists of jobs: those of one state, across queues, in a window that says how far it reached."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from operator import add

from jobs import keys
from jobs.reads import states
from jobs.reads.depths import DepthsQuestion, QueueDepths
from jobs.reads.fields import line, moment, server_time
from jobs.reads.job_rows import ADDRESSABLE, JobQuestion, JobRow
from jobs.reads.job_sources import SOURCES, SourceQuestion
from jobs.reads.queues import queue_names
from jobs.reads.tallies import Tally
from jobs.reads.trips import Trip

PAGE = 50
WINDOW = 500


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

    WINDOW entries are searched, shared out among the queues; `wanted.window` moves on by that many. Waiting jobs come
    oldest first, those in flight longest first, scheduled ones soonest first, all others newest first.
    Raises a member of `jobs.connection.StoreAway`.
    """
    start = Trip()
    clock, known = start.ask("time"), start.ask("smembers", keys.QUEUES)
    start.go()

    now, queues = server_time(clock.value), queue_names(known)
    chosen = [wanted.queue] if wanted.queue else queues
    depths = [DepthsQuestion(name, now) for name in chosen]
    sources = [SourceQuestion(source, name, wanted.state) for name in chosen for source in SOURCES[wanted.state]]
    span = max(1, WINDOW // len(chosen))
    second = Trip()
    for depth in depths:
        depth.ask_lengths(second)
    for source in sources:
        source.ask(second, wanted.window * span, span)
    second.go()

    found = [(source, JobQuestion(entry)) for source in sources for entry in source.entries(now.timestamp())]
    third = Trip()
    for depth in depths:
        depth.ask_states(third)
    for _, question in found:
        question.ask_fields(third)
    third.go()

    matching = _in_order([question for source, question in found if _matches(source, question, wanted)], wanted.state)
    pages = max(1, -(-len(matching) // PAGE))
    page = min(max(1, wanted.page), pages)
    shown = matching[(page - 1) * PAGE : page * PAGE]
    fourth = Trip()
    for question in shown:
        question.ask_payload(fourth)
    fourth.go()

    return JobList(
        rows=tuple(question.answer(now) for question in shown),
        filter=wanted,
        queues=tuple(queues),
        counts=total(depth.answer() for depth in depths),
        matches=len(matching),
        page=page,
        pages=pages,
        searched=len(found),
        held=sum(source.length for source in sources),
        skipped=wanted.window * span,
        more=any(source.more for source in sources),
    )


def total(depths: Iterable[QueueDepths]) -> dict[str, Tally]:
    """Return how many jobs of all these queues are in each state."""
    listed = list(depths)
    return {
        state: reduce(add, (_tally(getattr(depth, state)) for depth in listed), Tally(0)) for state in states.STATES
    }


def _tally(value: Tally | int) -> Tally:
    return value if isinstance(value, Tally) else Tally(value)


def _matches(source: SourceQuestion, question: JobQuestion, wanted: JobFilter) -> bool:
    if not source.source.takes(question.state, wanted.state):
        return False
    return wanted.function.casefold() in question.function.casefold()


def _in_order(questions: list[JobQuestion], state: str) -> list[JobQuestion]:
    def since(question: JobQuestion) -> datetime:
        values = question.values
        written = values["enqueued_at"] if state == states.WAITING else values["started_at"]
        return moment(line(written)) or datetime.max.replace(tzinfo=UTC)

    def score(question: JobQuestion) -> float:
        return question.found.score or 0.0

    if state in (states.WAITING, states.IN_FLIGHT):
        return sorted(questions, key=since)
    return sorted(questions, key=score, reverse=state not in (states.SCHEDULED, states.RETRYING))
