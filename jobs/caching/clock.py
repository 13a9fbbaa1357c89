"""The server's time without asking each time: a sampled offset to this process's own monotonic clock."""

import os
import threading
import time
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from redis import Redis

from jobs import scripts

RESAMPLE_S = 30.0


@dataclass(frozen=True, slots=True)
class _Sample:
    taken: float
    offset: float


class _Turn:
    """Who samples; a forked child has a lock of its own."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.lock = threading.Lock()


_one_at_a_time = _Turn()
os.register_at_fork(after_in_child=_one_at_a_time.clear)
_samples: "WeakKeyDictionary[Redis, _Sample]" = WeakKeyDictionary()


def now_ms(client: Redis) -> float:
    """Return the server's time in milliseconds, wrong by no more than half a round trip.

    Costs a round trip (TIME) once in 30 seconds.
    """
    now = time.monotonic()
    sample = _samples.get(client)
    if sample is None or now - sample.taken > RESAMPLE_S:
        sample = _resample(client)
        now = time.monotonic()
    return (now + sample.offset) * 1000


def _resample(client: Redis) -> _Sample:
    with _one_at_a_time.lock:
        sample = _samples.get(client)
        if sample is None or time.monotonic() - sample.taken > RESAMPLE_S:
            sample = _samples[client] = _take(client)
        return sample


def _take(client: Redis) -> _Sample:
    asked = time.monotonic()
    seconds, microseconds = scripts.ask(client, "TIME")
    answered = time.monotonic()
    return _Sample(answered, int(seconds) + int(microseconds) / 1_000_000 - (asked + answered) / 2)
