"""A stretch of the jobs of one state, across queues: found, told apart, matched."""

from collections.abc import Iterable

from jobs.reads.job_glances import Glance
from jobs.reads.job_lists import JobFilter
from jobs.reads.job_sources import SOURCES, SourceQuestion
from jobs.reads.trips import Trip

WINDOW = 500
"""Entries of the first stretch, shared out among the queues."""

FARTHER = (9_500, 4_500, 2_000)
"""Entries of a second stretch that a search may take, the largest that its time allows."""

BUDGET_S = 0.4
"""How long a search may look, about."""

ENOUGH = 500
"""Matches after which a search looks no farther."""

RELIABLE = 200
"""Entries that tell how long one takes."""


def make_sources(wanted: JobFilter, queues: Iterable[str]) -> list[SourceQuestion]:
    """Return where the jobs lie that are asked for."""
    chosen = [wanted.queue] if wanted.queue else queues
    return [SourceQuestion(source, name, wanted.state) for name in chosen for source in SOURCES[wanted.state]]


def affordable(searched: int, took_s: float) -> int:
    """Return how many more entries fit into a search's time, by what the first ones took; few do not tell."""
    left = (BUDGET_S - took_s) * searched / took_s if searched >= RELIABLE else FARTHER[-1]
    return next((entries for entries in FARTHER if entries <= left), 0)


class WindowQuestion:
    """The questions about one stretch of each source, asked on two trips; on three where words are looked for."""

    def __init__(self, wanted: JobFilter, sources: list[SourceQuestion], *, start: int, entries: int) -> None:
        self._wanted = wanted
        self._sources = sources
        self._start = start
        self._span = max(1, entries // max(1, len({source.queue for source in sources})))

    def ask_entries(self, trip: Trip) -> None:
        """Ask what lies in the stretch."""
        for source in self._sources:
            source.ask(trip, self._start, self._span, as_of=self._wanted.as_of)

    def ask_glances(self, trip: Trip, now: float) -> None:
        """Ask for a first look at each job of the stretch."""
        self._found = [(source, Glance(entry)) for source in self._sources for entry in source.entries(now)]
        self.searched = len(self._found)
        self.end = self._start + self._span
        self.unfinished = [source for source in self._sources if source.more]
        for _, glance in self._found:
            glance.ask(trip, self._wanted.search)

    def ask_arguments(self, trip: Trip) -> None:
        """Ask for the payloads in which words are looked for."""
        for _, glance in self._found:
            glance.read()
        self._fit = [glance for source, glance in self._found if self._takes(source, glance)]
        if self._wanted.search.words:
            for glance in self._fit:
                glance.ask_arguments(trip)

    def matches(self) -> list[Glance]:
        """Return the jobs that match, once the trips are made."""
        search = self._wanted.search
        return [glance for glance in self._fit if glance.has_words(search)] if search.words else self._fit

    def _takes(self, source: SourceQuestion, glance: Glance) -> bool:
        return source.source.takes(glance.state, self._wanted.state) and glance.fits(self._wanted.search)
