"""Ranges of charts: they end with the newest sample, and have a mark that changes when the chart would."""

from datetime import timedelta
from itertools import pairwise

import pytest

from jobs.reads.chart_ranges import FEWEST, RANGES, Range, read_grid
from tests.past import remember, server_now

EACH = pytest.mark.parametrize("shown", RANGES.values(), ids=list(RANGES))


@EACH
def test_the_points_cover_the_span_and_end_now(shown: Range):
    starts = read_grid(shown).starts

    assert starts[-1] - starts[0] == shown.resolution.span - shown.step
    assert timedelta(0) <= server_now() - starts[-1] < 2 * shown.step
    assert all(start.timestamp() % shown.step.total_seconds() == 0 for start in starts)


@EACH
def test_the_last_point_is_the_newest_sample_where_there_is_one(shown: Range):
    newest = remember("", shown.resolution, shown.resolution.step, waiting=1)

    assert read_grid(shown).starts[-1] <= newest < read_grid(shown).starts[-1] + shown.step


@EACH
@pytest.mark.parametrize(("age", "points"), [(5, FEWEST), (30, 31), (10_000, None)], ids=["few", "some", "all"])
def test_the_points_begin_with_a_history_that_is_younger_than_the_span(shown: Range, age: int, points: int | None):
    oldest = min(age * shown.step, 2 * shown.resolution.span)
    first = remember("", shown.resolution, oldest, waiting=1)
    remember("", shown.resolution, shown.resolution.step, waiting=1)

    starts = read_grid(shown).starts

    assert abs(len(starts) - (points or shown.points)) <= 1
    assert starts[0] <= first or points is None
    assert {later - earlier for earlier, later in pairwise(starts)} == {shown.step}


@EACH
def test_the_mark_changes_with_a_newer_sample(shown: Range):
    remember("", shown.resolution, 2 * shown.resolution.step, waiting=1)
    before = read_grid(shown).mark

    remember("", shown.resolution, shown.resolution.step, waiting=1)

    assert read_grid(shown).mark != before


def test_ranges_have_marks_of_their_own():
    assert len({read_grid(shown).mark for shown in RANGES.values()}) == len(RANGES)
