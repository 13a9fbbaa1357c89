"""The charts: of all queues, of one, and of the cache."""

from dataclasses import dataclass
from typing import Literal

from jobs import keys
from jobs.names import exact
from jobs.reads.buckets import ask_span
from jobs.reads.chart_ranges import Grid
from jobs.reads.fields import number
from jobs.reads.opening import Opening
from jobs.reads.percentiles import read_percentiles
from jobs.reads.points import Points, Values, build_points
from jobs.reads.trips import Answer, Trip

MOST_QUEUES = 6
WHOLE = ""
ENDED = ("finished", "failed")
READS = ("hits", "stale", "misses")

Unit = Literal["count", "per minute", "seconds", "percent"]


OVERVIEW = ("waiting", "throughput", "waited", "ran", "reads", "locks")
QUEUE = ("jobs", "ended", "waited", "ran", "oldest", "dead")
CACHE = ("ratio", "reads")
"""The charts of each page by name, in order."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart: a value for each point, None where nothing is known."""

    name: str
    values: Values


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over the same points, in one unit. One `by_queue` has a line for each but those that are left out."""

    name: str
    unit: Unit
    series: tuple[Series, ...]
    by_queue: bool = False
    left_out: int = 0


def read_overview_charts(grid: Grid) -> tuple[Chart, ...]:
    """Return the charts of the Overview, in three round trips: of the busiest queues and of the whole.

    Raises a member of `jobs.connection.StoreAway`.
    """
    names, left_out = _busiest_queues()
    trip = Trip()
    asked = {name: _ask_figures(trip, name, grid) for name in names}
    whole, spans = _ask_figures(trip, WHOLE, grid), _ask_durations(trip, WHOLE, grid)
    trip.go()
    queues = {name: build_points(answer, grid) for name, answer in asked.items()}
    waiting = tuple(Series(name, points.highest("waiting")) for name, points in queues.items())
    ended = tuple(Series(name, points.per_minute(*ENDED)) for name, points in queues.items())
    figures = build_points(whole, grid)
    return (
        Chart("waiting", "count", waiting, by_queue=True, left_out=left_out),
        Chart("throughput", "per minute", ended, by_queue=True, left_out=left_out),
        *_of_durations(build_points(spans, grid)),
        _of_reads(figures),
        Chart("locks", "count", _gauges(figures, "locks", "waited_for")),
    )


def read_queue_charts(name: str, grid: Grid) -> tuple[Chart, ...]:
    """Return the charts of one queue, in one round trip. Raises a member of `jobs.connection.StoreAway`."""
    trip = Trip()
    asked, spans = _ask_figures(trip, name, grid), _ask_durations(trip, name, grid)
    trip.go()
    figures = build_points(asked, grid)
    return (
        Chart("jobs", "count", _gauges(figures, "waiting", "in_flight")),
        Chart("ended", "per minute", tuple(Series(each, figures.per_minute(each)) for each in ENDED)),
        *_of_durations(build_points(spans, grid)),
        Chart("oldest", "seconds", _gauges(figures, "oldest")),
        Chart("dead", "count", _gauges(figures, "dead")),
    )


def read_cache_charts(grid: Grid) -> tuple[Chart, ...]:
    """Return the charts of the cache, in one round trip. Raises a member of `jobs.connection.StoreAway`."""
    trip = Trip()
    asked = _ask_figures(trip, WHOLE, grid)
    trip.go()
    figures = build_points(asked, grid)
    return (Chart("ratio", "percent", (Series("hits", figures.ratio(*READS)),)), _of_reads(figures))


def _busiest_queues() -> tuple[list[str], int]:
    """Return the queues with the most attempts since ever and jobs now, and how many others there are."""
    first, opening = Trip(), Opening()
    opening.ask(first)
    first.go()
    names, second = opening.queues, Trip()
    counts = [second.ask("hmget", keys.counts(exact(name)), *ENDED) for name in names]
    waiting = [second.ask("llen", keys.queue(exact(name))) for name in names]
    second.go()
    busy = [
        sum(map(number, ended.value or ())) + number(length.value)
        for ended, length in zip(counts, waiting, strict=True)
    ]
    ranked = [name for _, name in sorted(zip(busy, names, strict=True), key=lambda pair: (-pair[0], pair[1]))]
    return ranked[:MOST_QUEUES], len(ranked[MOST_QUEUES:])


def _ask_figures(trip: Trip, queue: str, grid: Grid) -> list[Answer]:
    resolution = grid.range.resolution
    return ask_span(trip, keys.history(resolution.name, exact(queue)), resolution, grid.starts[0])


def _ask_durations(trip: Trip, queue: str, grid: Grid) -> list[Answer]:
    resolution = grid.range.resolution
    return ask_span(trip, keys.durations(resolution.name, exact(queue)), resolution, grid.starts[0])


def _gauges(figures: Points, *names: str) -> tuple[Series, ...]:
    return tuple(Series(name, figures.highest(name)) for name in names)


def _of_durations(spans: Points) -> tuple[Chart, ...]:
    return tuple(
        Chart(kind, "seconds", tuple(Series(name, values) for name, values in percentiles.items()))
        for kind, percentiles in read_percentiles(spans).items()
    )


def _of_reads(figures: Points) -> Chart:
    return Chart("reads", "per minute", tuple(Series(name, figures.per_minute(name)) for name in READS))
