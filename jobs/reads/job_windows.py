"""A window on the jobs of one state, across queues: found, told apart, put in order, and one page of them read."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import reduce
from operator import add

from jobs.reads import states
from jobs.reads.depths import DepthsQuestion, QueueDepths
from jobs.reads.fields import line, moment
from jobs.reads.job_lists import PAGE, JobFilter, JobList
from jobs.reads.job_records import JobQuestion
from jobs.reads.job_sources import SOURCES, SourceQuestion
from jobs.reads.tallies import Tally
from jobs.reads.trips import Trip

WINDOW = 500
"""Entries that are searched, shared out among the queues."""


class WindowQuestion:
    """The questions about one window, asked on three trips."""

    def __init__(self, wanted: JobFilter, queues: list[str], now: datetime) -> None:
        chosen = [wanted.queue] if wanted.queue else queues
        self._wanted = wanted
        self._queues = queues
        self._now = now
        self._span = max(1, WINDOW // len(chosen))
        self._depths = [DepthsQuestion(name, now) for name in chosen]
        self._sources = [
            SourceQuestion(source, name, wanted.state) for name in chosen for source in SOURCES[wanted.state]
        ]

    def ask_entries(self, trip: Trip) -> None:
        """Ask what lies in the window, and how many jobs there are in each state."""
        for depth in self._depths:
            depth.ask_lengths(trip)
        for source in self._sources:
            source.ask(trip, self._wanted.window * self._span, self._span)

    def ask_records(self, trip: Trip) -> None:
        """Ask for the short fields of the jobs in the window."""
        now = self._now.timestamp()
        self._found = [(source, JobQuestion(entry)) for source in self._sources for entry in source.entries(now)]
        for depth in self._depths:
            depth.ask_states(trip)
        for _, question in self._found:
            question.ask_fields(trip)

    def ask_payloads(self, trip: Trip) -> None:
        """Ask for the payloads of the jobs on the page."""
        matching = [question for source, question in self._found if _matches(source, question, self._wanted)]
        self._matches = len(matching)
        self._pages = max(1, -(-len(matching) // PAGE))
        self._page = min(max(1, self._wanted.page), self._pages)
        self._shown = _in_order(matching, self._wanted.state)[(self._page - 1) * PAGE : self._page * PAGE]
        for question in self._shown:
            question.ask_payload(trip)

    def answer(self) -> JobList:
        """Return the page, once the trips are made."""
        return JobList(
            rows=tuple(question.answer(self._now) for question in self._shown),
            filter=self._wanted,
            queues=tuple(self._queues),
            counts=total(depth.answer() for depth in self._depths),
            matches=self._matches,
            page=self._page,
            pages=self._pages,
            searched=len(self._found),
            held=sum(source.length for source in self._sources),
            skipped=self._wanted.window * self._span,
            more=any(source.more for source in self._sources),
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
