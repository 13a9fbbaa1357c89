"""The charts of each page: which lines they have, of which queues, and at what cost."""

from datetime import timedelta

import pytest
from redis.connection import AbstractConnection

from jobs import durations, keys
from jobs.connection import store
from jobs.reads import charts
from jobs.reads.chart_ranges import RANGES, Grid, read_grid
from tests.factories import enqueue
from tests.past import remember

MINUTE = timedelta(minutes=1)


def grid(name: str = "1h") -> Grid:
    return read_grid(RANGES[name])


def lines(found: tuple[charts.Chart, ...], name: str) -> list[str]:
    return [series.name for chart in found if chart.name == name for series in chart.series]


def test_the_pages_have_the_charts_that_their_outlines_name():
    names = [[chart.name for chart in found] for found in (
        charts.read_overview_charts(grid()), charts.read_queue_charts("mail", grid()), charts.read_cache_charts(grid())
    )]  # fmt: skip

    assert names == [list(charts.OVERVIEW), list(charts.QUEUE), list(charts.CACHE)]


def test_the_busiest_queues_have_a_line_and_the_others_are_counted():
    for place in range(8):
        store().sadd(keys.QUEUES, keys.queue(f"queue-{place}"))
        store().hset(keys.counts(f"queue-{place}"), "finished", 100 * place)
    enqueue(count=2)

    found = charts.read_overview_charts(grid())

    assert lines(found, "waiting") == [f"queue-{place}" for place in (7, 6, 5, 4, 3, 2)]
    assert lines(found, "throughput") == lines(found, "waiting")
    assert found[0].left_out == 5


def test_each_line_has_a_value_for_each_point():
    remember("mail", RANGES["24h"].resolution, MINUTE, waiting=3)
    day = grid("24h")

    found = charts.read_overview_charts(day) + charts.read_queue_charts("mail", day) + charts.read_cache_charts(day)

    assert {len(series.values) for chart in found for series in chart.series} == {144}
    assert {chart.unit for chart in found if chart.name in durations.KINDS} == {"seconds"}


@pytest.mark.parametrize(
    ("read", "trips"),
    [
        (charts.read_overview_charts, 3),
        (lambda at: charts.read_queue_charts("mail", at), 1),
        (charts.read_cache_charts, 1),
    ],
    ids=["overview", "queue", "cache"],
)
def test_the_round_trips_do_not_grow_with_the_queues(monkeypatch: pytest.MonkeyPatch, read, trips: int):
    for place in range(12):
        store().sadd(keys.QUEUES, keys.queue(f"queue-{place}"))
    at, made = grid(), []
    send = AbstractConnection.send_packed_command
    monkeypatch.setattr(
        AbstractConnection, "send_packed_command", lambda self, *a, **o: made.append(1) or send(self, *a, **o)
    )

    read(at)

    assert len(made) == trips
