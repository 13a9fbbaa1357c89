"""A stretch of history as percentiles of how long jobs waited and ran."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate

from jobs import durations
from jobs.durations import FIELDS, KINDS, LIMITS_MS
from jobs.reads.buckets import Bucket, whole_number
from jobs.reads.points import Points, Values

PLACES = {kind: [str(durations.PLACES.index(name)).encode() for name in FIELDS[kind]] for kind in KINDS}
PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


def read_percentiles(points: Points) -> dict[str, dict[str, Values]]:
    """Return by kind the seconds that half, 95 % and 99 % of the durations stayed under, at each point.

    Within a bucket durations count as spread evenly; an hour stands for what is longer. None where no attempt ended.
    """
    counts = [_count(group) for group in points.groups]
    return {kind: _of_kind([_cumulative(each, kind) for each in counts]) for kind in KINDS}


def _count(group: Iterable[Bucket]) -> Counter[bytes]:
    counts: Counter[bytes] = Counter()
    for bucket in group:
        for place, count in bucket.fields.items():
            counts[place] += whole_number(count) or 0
    return counts


def _cumulative(counts: Counter[bytes], kind: str) -> list[int]:
    return list(accumulate(max(0, counts[place]) for place in PLACES[kind]))


def _of_kind(sums: list[list[int]]) -> dict[str, Values]:
    return {name: tuple(_under(each, part) for each in sums) for name, part in PERCENTILES.items()}


def _under(sums: list[int], part: float) -> float | None:
    """Return the duration in seconds that `part` of those counted stayed under."""
    if sums[-1] == 0:
        return None
    rank = part * sums[-1]
    at = bisect_left(sums, rank)
    if at >= len(LIMITS_MS):
        return LIMITS_MS[-1] / 1000
    below_ms, under = (LIMITS_MS[at - 1], sums[at - 1]) if at else (0, 0)
    return (below_ms + (LIMITS_MS[at] - below_ms) * (rank - under) / (sums[at] - under)) / 1000
