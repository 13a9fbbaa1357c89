"""How long jobs waited and ran: counted in the worker and written about once a second, so that no job pays for it."""

import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from datetime import timedelta

from redis import Redis
from redis.exceptions import RedisError

from jobs import keys

KINDS = ("waited", "ran")
HOUR_MS = 3_600_000
STEPS = (1, 1.5, 2, 3, 4, 5, 7)
LIMITS_MS = (*sorted({ms for power in range(7) for step in STEPS if (ms := int(step * 10**power)) < HOUR_MS}), HOUR_MS)
"""Upper limits of the buckets, seven a decade from 1 ms to an hour; one more bucket holds what took longer.

A past that was kept with other limits would be misread, so these do not change.
"""

FIELDS = {kind: tuple(f"{kind}_le_{limit}" for limit in (*LIMITS_MS, "inf")) for kind in KINDS}
"""The fields of `mandor:counts:<queue>` that count the durations of each kind, shortest first."""

PLACES = tuple(field for kind in KINDS for field in FIELDS[kind])
"""All of them; the history names a bucket by its place in this list."""

_counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
_lock = threading.Lock()


def note(queue: str, *, waited: timedelta | None, ran: timedelta) -> None:
    """Count an attempt that ended: how long its job had waited to be taken, None if unknown, and how long it ran.

    Costs no round trip; `flush` writes it.
    """
    with _lock:
        for kind, took in zip(KINDS, (waited, ran), strict=True):
            if took is not None:
                took_ms = max(0, took // timedelta(milliseconds=1))
                _counts[queue][bucket(kind, took_ms)] += 1
                _counts[queue][total(kind)] += took_ms


def flush(client: Redis) -> None:
    """Write what was counted since the last time, in one round trip; nothing counted costs none.

    Raises nothing when Redis refuses or is away: what could not be written is kept for the next time.
    """
    taken = _take()
    if not taken:
        return
    pipeline = client.pipeline(transaction=True)
    for queue, counts in taken.items():
        for field, count in counts.items():
            pipeline.hincrby(keys.counts(queue), field, count)
    try:
        pipeline.execute()
    except RedisError:
        _put_back(taken)


def bucket(kind: str, took_ms: int) -> str:
    """Return the field of `mandor:counts:<queue>` that counts durations like this one."""
    return FIELDS[kind][bisect_left(LIMITS_MS, took_ms)]


def total(kind: str) -> str:
    """Return the field of `mandor:counts:<queue>` that sums the durations of a kind, in milliseconds."""
    return f"{kind}_ms"


def _take() -> dict[str, Counter[str]]:
    with _lock:
        taken = dict(_counts)
        _counts.clear()
    return taken


def _put_back(taken: dict[str, Counter[str]]) -> None:
    with _lock:
        for queue, counts in taken.items():
            _counts[queue].update(counts)
