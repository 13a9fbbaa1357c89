"""Figures as people read them, in the language of whoever looks."""

from datetime import datetime, timedelta
from itertools import pairwise

from django.utils.dateformat import format as format_date
from django.utils.translation import gettext, pgettext

from dashboard.action_words import ACTION_WORDS
from jobs.reads.figures import figure
from jobs.reads.tallies import Tally

UNKNOWN = "\N{EN DASH}"
TENTHS_BELOW_S = 10
THOUSAND = 1000
SIZES_S = (86_400, 3_600, 60, 1)


def units() -> str:
    """Return the units of days, hours, minutes and seconds, apart by spaces."""
    return gettext("d h m s")


def duration(value: timedelta | None) -> str:
    """Return a duration in its two largest units: `4 m 12 s`, `2 h`, `1.4 s`, `12 ms`; a dash for none."""
    if value is None:
        return UNKNOWN
    seconds = max(value.total_seconds(), 0)
    second = units().split()[-1]
    if 0 < seconds < 1:
        return f"{max(seconds * THOUSAND, 1):.0f} ms"
    if seconds < TENTHS_BELOW_S and seconds % 1:
        return f"{figure(seconds, 1)} {second}"
    whole, unit, *below = ticking(value).split()
    return " ".join((whole, unit, *below)) if below and below[0] != "00" else f"{whole} {unit}"


def ticking(value: timedelta) -> str:
    """Return a duration that ticks, always with both units: `4 m 00 s`."""
    left = int(max(value.total_seconds(), 0))
    for (unit, size), (below, smaller) in pairwise(zip(units().split(), SIZES_S, strict=True)):
        if left >= size:
            return f"{left // size} {unit} {left % size // smaller:02d} {below}"
    return f"{left} {units().split()[-1]}"


def hours(value: timedelta) -> str:
    """Return a duration in hours: `24 h`."""
    whole = value % timedelta(hours=1) == timedelta(0)
    return f"{figure(value / timedelta(hours=1), 0 if whole else 1)} {units().split()[1]}"


def time_of_day(at: datetime) -> str:
    """Return a time of day: `12:30:05`."""
    return format_date(at, pgettext("Django's date format", "H:i:s"))


def day_and_time(at: datetime) -> str:
    """Return a day with its time: `2026-03-04 12:30:05`."""
    return format_date(at, pgettext("Django's date format", "Y-m-d H:i:s"))


def count(value: Tally | float | None) -> str:
    """Return a whole number with its thousands apart and how exact it is: `≥ 1,284`; a dash for one not known."""
    if value is None:
        return UNKNOWN
    if isinstance(value, Tally):
        return f"{value.bound} {figure(value.value)}".strip()
    return figure(value)


def percent(value: float | None) -> str:
    """Return a ratio as `96.4 %`; a dash for one that is not known."""
    return UNKNOWN if value is None else f"{figure(value * 100, 1)} %"


def size(value: int | None) -> str:
    """Return bytes as `1.4 MB`; a dash for none."""
    if value is None:
        return UNKNOWN
    amount = float(value)
    for unit in ("B", "kB", "MB"):
        if amount < THOUSAND:
            return f"{figure(amount, 0 if unit == 'B' else 1)} {unit}"
        amount /= THOUSAND
    return f"{figure(amount, 1)} GB"


def short_name(path: str) -> str:
    """Return the last part of a dotted path."""
    return path.rpartition(".")[2]


def words(name: str) -> str:
    """Return an action or a step by its words: `release_lock` as `release lock`."""
    return str(ACTION_WORDS.get(name, name.replace("_", " ")))
