"""The server's time without asking each time: a sampled offset to this process's own monotonic clock."""

import time
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from redis import Redis

RESAMPLE_S = 30.0


@dataclass(frozen=True, slots=True)
class _Sample:
    taken: float
    offset: float


_samples: "WeakKeyDictionary[Redis, _Sample]" = WeakKeyDictionary()


def now_ms(client: Redis) -> float:
    """Return the server's time in milliseconds, wrong by no more than half a round trip.

    Costs a round trip (TIME) once in 30 seconds.
    """
    now = time.monotonic()
    sample = _samples.get(client)
    if sample is None or now - sample.taken > RESAMPLE_S:
        sample = _samples[client] = _take(client)
        now = time.monotonic()
    return (now + sample.offset) * 1000


def _take(client: Redis) -> _Sample:
    asked = time.monotonic()
    seconds, microseconds = client.time()
    answered = time.monotonic()
    return _Sample(answered, seconds + microseconds / 1_000_000 - (asked + answered) / 2)
