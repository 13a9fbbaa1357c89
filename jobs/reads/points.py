"""A stretch of history as the points of a chart: the highest of a gauge, what was counted a minute, a ratio."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain

from jobs.reads.buckets import Bucket, read_buckets
from jobs.reads.chart_ranges import Grid
from jobs.reads.trips import Answer

Values = tuple[float | None, ...]
MS = timedelta(milliseconds=1)
MINUTE_MS = 60_000
OVER = "over"


@dataclass(frozen=True, slots=True)
class Points:
    """The buckets of one stream by the points of a chart, oldest first; a point without any is a gap."""

    groups: tuple[tuple[Bucket, ...], ...]

    def highest(self, figure: str) -> Values:
        """Return the highest value at each point."""
        return tuple(max(_known(group, figure), default=None) for group in self.groups)

    def per_minute(self, *figures: str) -> Values:
        """Return how much the figures together came to in a minute, at each point."""
        return tuple(_per_minute(group, figures) for group in self.groups)

    def ratio(self, figure: str, *others: str) -> Values:
        """Return which part of it and the others `figure` was at each point, None where all are nought."""
        return tuple(_ratio(group, figure, others) for group in self.groups)


def build_points(answers: list[Answer], grid: Grid) -> Points:
    """Return the buckets of one stream by the points of the grid."""
    first_ms, step_ms = int(grid.starts[0].timestamp() * 1000), grid.range.step // MS
    groups: list[list[Bucket]] = [[] for _ in grid.starts]
    for bucket in chain.from_iterable(map(read_buckets, answers)):
        place = (bucket.start_ms - first_ms) // step_ms
        if 0 <= place < len(groups):
            groups[place].append(bucket)
    return Points(tuple(map(tuple, groups)))


def _known(group: Iterable[Bucket], figure: str) -> list[int]:
    return [value for bucket in group if (value := bucket.get(figure)) is not None]


def _per_minute(group: Iterable[Bucket], figures: tuple[str, ...]) -> float | None:
    counted = [[bucket.get(figure) for figure in (OVER, *figures)] for bucket in group]
    known = [[value for value in row if value is not None] for row in counted if None not in row]
    over_ms = sum(row[0] for row in known)
    return sum(sum(row[1:]) for row in known) * MINUTE_MS / over_ms if over_ms > 0 else None


def _ratio(group: Iterable[Bucket], figure: str, others: tuple[str, ...]) -> float | None:
    wanted, *rest = (sum(_known(group, each)) for each in (figure, *others))
    return wanted / (wanted + sum(rest)) if wanted + sum(rest) > 0 else None
