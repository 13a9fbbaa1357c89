"""Figures as people read them."""

from datetime import timedelta
from itertools import pairwise

from jobs.reads.tallies import Tally

UNKNOWN = "\N{EN DASH}"
TENTHS_BELOW_S = 10
THOUSAND = 1000
UNITS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def duration(value: timedelta | None) -> str:
    """Return a duration in its two largest units: `4 m 12 s`, `2 h`, `1.4 s`, `12 ms`; a dash for none."""
    if value is None:
        return UNKNOWN
    seconds = max(value.total_seconds(), 0)
    if 0 < seconds < 1:
        return f"{max(seconds * THOUSAND, 1):.0f} ms"
    if seconds < TENTHS_BELOW_S and seconds % 1:
        return f"{seconds:.1f} s"
    text = ticking(value)
    return text[: -len(" 00 s")] if text[-5:-1] == " 00 " else text


def ticking(value: timedelta) -> str:
    """Return a duration that ticks, always with both units: `4 m 00 s`."""
    left = int(max(value.total_seconds(), 0))
    for (unit, size), (below, smaller) in pairwise(UNITS):
        if left >= size:
            return f"{left // size} {unit} {left % size // smaller:02d} {below}"
    return f"{left} s"


def hours(value: timedelta) -> str:
    """Return a duration in hours: `24 h`."""
    return f"{value / timedelta(hours=1):g} h"


def count(value: Tally | float | None) -> str:
    """Return a whole number with its thousands apart and how exact it is: `≥ 1,284`; a dash for one not known."""
    if value is None:
        return UNKNOWN
    if isinstance(value, Tally):
        return f"{value.bound} {value.value:,}".strip()
    return f"{value:,.0f}"


def percent(value: float | None) -> str:
    """Return a ratio as `96.4 %`; a dash for one that is not known."""
    return UNKNOWN if value is None else f"{value * 100:.1f} %"


def size(value: int | None) -> str:
    """Return bytes as `1.4 MB`; a dash for none."""
    if value is None:
        return UNKNOWN
    amount = float(value)
    for unit in ("B", "kB", "MB"):
        if amount < THOUSAND:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= THOUSAND
    return f"{amount:.1f} GB"


def short_name(path: str) -> str:
    """Return the last part of a dotted path."""
    return path.rpartition(".")[2]


def words(codename: str) -> str:
    """Return `release_lock` as `release lock`."""
    return codename.replace("_", " ")
