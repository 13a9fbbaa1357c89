"""Points of charts: the highest, what was counted a minute, ratios and percentiles, and gaps as gaps."""

from datetime import timedelta

import pytest

from jobs import durations, keys
from jobs.connection import store
from jobs.durations import PLACES
from jobs.reads.buckets import ask_span
from jobs.reads.chart_ranges import RANGES, Grid, read_grid
from jobs.reads.percentiles import read_percentiles
from jobs.reads.points import Points, build_points
from jobs.reads.trips import Trip
from jobs.resolutions import FINE
from tests.past import remember, remember_durations

LATELY, EARLIER = timedelta(seconds=65), timedelta(minutes=20)
STEP = timedelta(seconds=30)


def read(key: str, grid: Grid) -> Points:
    trip = Trip()
    answers = ask_span(trip, key, grid.range.resolution, grid.starts[0])
    trip.go()
    return build_points(answers, grid)


def figures() -> Points:
    return read(keys.history(FINE.name, "mail"), read_grid(RANGES["1h"]))


def known(values: tuple[float | None, ...]) -> list[float]:
    return [value for value in values if value is not None]


def percentiles(counts: dict[str, int], kind: str = "ran") -> list[float]:
    """Return p50, p95 and p99 of durations that fell into these buckets."""
    places = {PLACES.index(f"{kind}_le_{limit}"): count for limit, count in counts.items()}
    remember_durations("mail", FINE, LATELY, places)
    found = read_percentiles(read(keys.durations(FINE.name, "mail"), read_grid(RANGES["1h"])))
    return [value for values in found[kind].values() for value in known(values)]


def test_a_point_is_the_highest_of_its_buckets_and_a_gap_without_any():
    start = read_grid(RANGES["1h"]).starts[-10]
    for place, waiting in enumerate((3, 9, 4)):
        at_ms = int((start + place * FINE.step).timestamp() * 1000)
        store().xadd(keys.history(FINE.name, "mail"), {"waiting": waiting}, id=f"{at_ms}-0")

    values = figures().highest("waiting")

    assert known(values) == [9]
    assert values[-10] == 9


def test_what_was_counted_is_brought_to_a_minute_by_the_time_it_was_counted_over():
    remember("mail", FINE, EARLIER, finished=5, failed=1)
    remember("mail", FINE, LATELY, finished=5, failed=1, over=20_000)

    assert known(figures().per_minute("finished", "failed")) == [18]
    assert known(figures().per_minute("hits")) == []


def test_a_ratio_is_unknown_where_there_was_nothing():
    remember("mail", FINE, EARLIER, hits=0, stale=0, misses=0)
    remember("mail", FINE, LATELY, hits=3, stale=1, misses=0)

    assert known(figures().ratio("hits", "stale", "misses")) == [0.75]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"100": 1000}, [0.085, 0.0985, 0.0997]),
        ({"1": 980, "4000": 20}, [0.00051, 0.00097, 3.5]),
        ({"inf": 5}, [3600, 3600, 3600]),
    ],
)
def test_percentiles_lie_within_their_bucket(counts: dict[str, int], expected: list[float]):
    assert percentiles(counts) == pytest.approx(expected, rel=0.01)


def test_waiting_and_running_times_are_told_apart():
    assert percentiles({"1000": 1}, kind="waited") == pytest.approx([0.85, 0.985, 0.997])


def test_no_duration_falls_outside_what_the_history_can_name():
    assert len(PLACES) == 2 * (len(durations.LIMITS_MS) + 1)


def test_what_cannot_be_read_counts_as_unknown():
    start_ms = int(read_grid(RANGES["1h"]).starts[-3].timestamp() * 1000)
    store().xadd(
        keys.history(FINE.name, "mail"), {"waiting": "1e400", "over": "9" * 400, "x": b"\xff"}, id=f"{start_ms}-0"
    )
    store().set(keys.history(FINE.name, "reports"), "no stream")

    assert known(figures().highest("waiting")) == known(figures().per_minute("waiting")) == []
    assert known(read(keys.history(FINE.name, "reports"), read_grid(RANGES["1h"])).highest("waiting")) == []
