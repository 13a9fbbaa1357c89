"""The jobs: lists of those in one state, and the way to the one whose id is known."""

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import add

from jobs import keys
from jobs.names import exact
from jobs.reads import states
from jobs.reads.depths import DepthsQuestion, QueueDepths
from jobs.reads.job_glances import Glance
from jobs.reads.job_lists import PAGE, JobFilter, JobList
from jobs.reads.job_records import JobQuestion
from jobs.reads.job_sources import SourceQuestion
from jobs.reads.job_windows import ENOUGH, WINDOW, WindowQuestion, affordable, make_sources
from jobs.reads.opening import Opening
from jobs.reads.tallies import Tally
from jobs.reads.trips import Trip


@dataclass(frozen=True, slots=True)
class Jump:
    """The one thing that bears exactly the name that was looked for."""

    kind: str
    name: str


def look_up(name: str) -> Jump | None:
    """Return the job with this id or the lock of this resource, in one round trip."""
    trip = Trip()
    Opening().ask(trip)
    job, lock = trip.ask("exists", keys.job(exact(name))), trip.ask("exists", keys.lock(exact(name)))
    trip.go()
    if job.value:
        return Jump("job", name)
    return Jump("lock", name) if lock.value else None


def list_jobs(wanted: JobFilter) -> JobList:
    """Return a page of the jobs that `wanted` describes, in at most nine round trips.

    A bounded stretch is searched, and the list says how far it reached and where to go on. Waiting jobs come oldest
    first, those in flight longest first, scheduled ones soonest first, all others newest first.
    Raises a member of `jobs.connection.StoreAway`.
    """
    start, opening = Trip(), Opening()
    opening.ask(start)
    start.go()
    listing = Listing(wanted, opening.queues, opening.now)
    listing.search()
    return listing.answer()


class Listing:
    """One list: its counts, a search in one or two stretches, and the page of what was found."""

    def __init__(self, wanted: JobFilter, queues: list[str], now: datetime) -> None:
        self._wanted = wanted
        self._queues = queues
        self._now = now
        chosen = [wanted.queue] if wanted.queue else queues
        self._depths = [DepthsQuestion(name, now) for name in chosen]
        self._sources = make_sources(wanted, queues)
        self._matches: list[Glance] = []
        self._searched = 0

    def search(self) -> None:
        """Look at the first stretch, and at a second one where the first brought little."""
        began = time.monotonic()
        self._look(self._sources, self._wanted.start, WINDOW, self._depths)
        self._held = sum(source.length for source in self._sources)
        self._newer = sum(source.newer for source in self._sources)
        self._as_of = self._wanted.as_of or self._find_top()
        entries = self._more_entries(time.monotonic() - began)
        if entries:
            self._look(self._unfinished, self._end, entries, [])

    def answer(self) -> JobList:
        """Return the page of what was found, in two more round trips, in one where words were looked for."""
        pages = max(1, -(-len(self._matches) // PAGE))
        page = min(max(1, self._wanted.page), pages)
        shown = _in_order(self._matches, self._wanted.state)[(page - 1) * PAGE : page * PAGE]
        questions = [JobQuestion(glance.found, glance.payload) for glance in shown]
        for ask in (JobQuestion.ask_fields, JobQuestion.ask_payload):
            trip = Trip()
            for question in questions:
                ask(question, trip)
            trip.go()
        return JobList(
            rows=tuple(question.answer(self._now) for question in questions),
            filter=self._wanted,
            queues=tuple(self._queues),
            counts=total(depth.answer() for depth in self._depths),
            matches=len(self._matches),
            page=page,
            pages=pages,
            searched=self._searched,
            held=self._held,
            more=bool(self._unfinished),
            next_start=self._end,
            as_of=self._as_of,
            newer=self._newer,
        )

    def _look(self, sources: list[SourceQuestion], start: int, entries: int, depths: list[DepthsQuestion]) -> None:
        window = WindowQuestion(self._wanted, sources, start=start, entries=entries)
        trip = Trip()
        window.ask_entries(trip)
        for depth in depths:
            depth.ask_lengths(trip)
        trip.go()
        trip = Trip()
        window.ask_glances(trip, self._now.timestamp())
        for depth in depths:
            depth.ask_states(trip)
        trip.go()
        trip = Trip()
        window.ask_arguments(trip)
        trip.go()
        self._matches += window.matches()
        self._searched += window.searched
        self._unfinished, self._end = window.unfinished, window.end

    def _more_entries(self, took_s: float) -> int:
        """Return how many more entries to look at: as time allows in a search, and to fill a page of many queues."""
        if not self._unfinished:
            return 0
        if self._wanted.search:
            return affordable(self._searched, took_s) if len(self._matches) < ENOUGH else 0
        return WINDOW if len(self._matches) < PAGE else 0

    def _find_top(self) -> float | None:
        tops = [source.top for source in self._sources]
        scores = [top for top in tops if top is not None]
        return max(scores) if scores and not any(map(math.isinf, scores)) and not self._wanted.start else None


def total(depths: Iterable[QueueDepths]) -> dict[str, Tally]:
    """Return how many jobs of all these queues are in each state."""
    listed = list(depths)
    return {
        state: reduce(add, (_tally(getattr(depth, state)) for depth in listed), Tally(0)) for state in states.STATES
    }


def _tally(value: Tally | int) -> Tally:
    return value if isinstance(value, Tally) else Tally(value)


def _in_order(glances: list[Glance], state: str) -> list[Glance]:
    newest_first = state not in (states.WAITING, states.IN_FLIGHT, states.SCHEDULED, states.RETRYING)
    if newest_first:
        return sorted(glances, key=lambda glance: glance.found.score or 0.0, reverse=True)
    return sorted(glances, key=lambda glance: glance.place)
