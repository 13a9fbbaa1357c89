"""Figures as people read them."""

from datetime import timedelta

import pytest

from dashboard import filters
from jobs.reads.tallies import Tally


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.012, "12 ms"),
        (1.42, "1.4 s"),
        (12, "12 s"),
        (252, "4 m 12 s"),
        (240, "4 m"),
        (7_380, "2 h 03 m"),
        (93_600, "1 d 02 h"),
        (-5, "0 s"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds: float, text: str):
    assert filters.duration(timedelta(seconds=seconds)) == text


def test_a_clock_keeps_both_units_so_that_it_does_not_jump():
    assert filters.ticking(timedelta(minutes=4)) == "4 m 00 s"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1284, "1,284"), (Tally(500, "≥"), "≥ 500"), (Tally(0), "0"), (0.6, "1"), (None, filters.UNKNOWN)],
)
def test_a_count_says_how_exact_it_is_and_never_0_for_unknown(value, text: str):
    assert filters.count(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(812, "812 B"), (1_400, "1.4 kB"), (54_000_000, "54.0 MB"), (None, filters.UNKNOWN)],
)
def test_a_size_has_a_unit(value: int | None, text: str):
    assert filters.size(value) == text


def test_a_ratio_is_a_percentage():
    assert filters.percent(0.9641) == "96.4 %"
    assert filters.percent(None) == filters.UNKNOWN


def test_hours_are_written_as_such() -> None:
    assert filters.hours(timedelta(days=1)) == "24 h"
    assert filters.hours(timedelta(minutes=30)) == "0.5 h"
