"""How often readers hit and missed: counted in the process, written once a second, so that a hit stays one GET."""

import atexit
import os
import threading
import time
from collections import Counter, defaultdict
from contextlib import suppress

from redis.exceptions import RedisError

from jobs import keys
from jobs.connection import cache_store

EVERY_S = 1.0
MOST_NAMESPACES = 1_000


class _Counts:
    """The counts that are not yet written. A forked child begins with none, and with a flusher of its own."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        self.lock = threading.Lock()
        self.wanted = threading.Event()
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.flusher: threading.Thread | None = None

    def add(self, namespace: str, amounts: dict[str, int]) -> None:
        with self.lock:
            if namespace in self.counts or len(self.counts) < MOST_NAMESPACES:
                known = self.counts[namespace]
                for name, amount in amounts.items():
                    known[name] += amount
            if self.flusher is None:
                self.flusher = threading.Thread(target=self._keep_flushing, name="cache counts", daemon=True)
                self.flusher.start()
        if not self.wanted.is_set():
            self.wanted.set()

    def take(self) -> dict[str, Counter[str]]:
        with self.lock:
            taken, self.counts = self.counts, defaultdict(Counter)
        return taken

    def _keep_flushing(self) -> None:
        while True:
            self.wanted.wait()
            self.wanted.clear()
            time.sleep(EVERY_S)
            with suppress(RedisError):
                flush_counts()


_counts = _Counts()
os.register_at_fork(after_in_child=_counts.reset)


def count(namespace: str, **amounts: int) -> None:
    """Add to the counters of a namespace: hits, stale, misses, refreshes, coalesced, fallbacks and the like."""
    _counts.add(namespace, amounts)


def flush_counts() -> None:
    """Write what this process has counted, in one round trip.

    Raises a member of StoreAway when the server is away; the counts are then kept for the next time.
    """
    taken = _counts.take()
    if not taken:
        return
    pipeline = cache_store().pipeline(transaction=True)
    pipeline.sadd(keys.CACHE_NAMESPACES, *taken)
    for namespace, amounts in taken.items():
        for name, amount in amounts.items():
            pipeline.hincrby(keys.cache_counts(namespace), name, amount)
    try:
        pipeline.execute()
    except RedisError:
        for namespace, amounts in taken.items():
            _counts.add(namespace, dict(amounts))
        raise


def _flush_at_exit() -> None:
    with suppress(RedisError):
        flush_counts()


atexit.register(_flush_at_exit)
