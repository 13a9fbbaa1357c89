"""A count that says how exact it is."""

from dataclasses import dataclass
from typing import Literal

Bound = Literal["", "≥", "≤"]


@dataclass(frozen=True, slots=True)
class Tally:
    """A count, and whether it is exact (""), at least (≥) or at most (≤) that many."""

    value: int
    bound: Bound = ""

    def __bool__(self) -> bool:
        return self.value > 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.value + other.value, self.bound or other.bound)


def at_least(value: int, *, exact: bool) -> Tally:
    """Return a count of what was found, where there may be more."""
    return Tally(value, "" if exact else "≥")


def at_most(value: int, *, exact: bool) -> Tally:
    """Return a count from which not all that does not belong was taken off."""
    return Tally(value, "" if exact else "≤")
