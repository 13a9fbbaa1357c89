"""Locks beside redis-py's `Lock` and python-redis-lock, in one run: `uv run python benchmarks/locks.py`.

Taking turns: acquire and release by one client, in slices of 0.1 s whose order is shuffled, so that the machine's moods
hit all alike; the figure is the 90th percentile of the slices. Waiting: eight processes that want the lock again at
once hold it for 5 ms each; how long a wait takes, and how even the shares are. Listing: the 100 holds nearest to being
stuck of 10,000.
"""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.server import fresh_server

ROUNDS, SLICE_S = 40, 0.1
WAITERS, WAIT_FOR_S, HOLD_S = 8, 6.0, 0.005
MANY, NEAREST = 10_000, 100
REVOCATIONS = 300
MINUTE = timedelta(minutes=1)


def mandor_pair() -> Callable[[], None]:
    from jobs import locks

    def pair() -> None:
        locks.release(locks.acquire("mandor", holder="bench", lease=MINUTE, max_duration=MINUTE))

    return pair


def redis_py_pair() -> Callable[[], None]:
    from jobs.connection import store

    lock = store().lock("redis-py", timeout=60, blocking=False)

    def pair() -> None:
        lock.acquire()
        lock.release()

    return pair


def redis_lock_pair() -> Callable[[], None]:
    import redis_lock

    from jobs.connection import store

    def pair() -> None:
        lock = redis_lock.Lock(store(), "python-redis-lock", expire=60)
        lock.acquire(blocking=False)
        lock.release()

    return pair


PAIRS = {"mandor": mandor_pair, "redis-py Lock": redis_py_pair, "python-redis-lock": redis_lock_pair}


def count_pairs() -> dict[str, float]:
    """Return pairs per second for each, the 90th percentile of its slices."""
    pairs = {name: make() for name, make in PAIRS.items()}
    rates: dict[str, list[float]] = {name: [] for name in pairs}
    for _ in range(ROUNDS):
        for name in random.sample(list(pairs), len(pairs)):
            began, done = time.perf_counter(), 0
            while time.perf_counter() - began < SLICE_S:
                pairs[name]()
                done += 1
            rates[name].append(done / (time.perf_counter() - began))
    return {name: statistics.quantiles(values, n=10)[8] for name, values in rates.items()}


@contextmanager
def mandor_hold():
    from jobs import locks

    with locks.hold("mandor", lease=timedelta(seconds=10), wait=MINUTE):
        yield


@contextmanager
def redis_py_hold():
    from jobs.connection import store

    with store().lock("redis-py", timeout=10):
        yield


@contextmanager
def redis_lock_hold():
    import redis_lock

    from jobs.connection import store

    with redis_lock.Lock(store(), "python-redis-lock", expire=10, id=uuid4().hex):
        yield


HOLDS = {"mandor": mandor_hold, "redis-py Lock": redis_py_hold, "python-redis-lock": redis_lock_hold}


def want(name: str, start: float, waits: "Queue[list[float]]") -> None:  # noqa: F821
    """Take the lock again and again, and report how long each wait was."""
    own = []
    while time.time() < start:
        time.sleep(0.001)
    while time.time() < start + WAIT_FOR_S:
        began = time.perf_counter()
        with HOLDS[name]():
            own.append(time.perf_counter() - began)
            time.sleep(HOLD_S)
    waits.put(own)


def measure_waits(name: str) -> tuple[float, float, int, int]:
    """Return wait p50 and p99 in ms, and the fewest and most turns that a waiter got."""
    fork = get_context("fork")
    waits = fork.Queue()
    start = time.time() + 0.5
    waiters = [fork.Process(target=want, args=(name, start, waits)) for _ in range(WAITERS)]
    for waiter in waiters:
        waiter.start()
    turns = [waits.get() for _ in waiters]
    for waiter in waiters:
        waiter.join()
    every = sorted(wait * 1000 for own in turns for wait in own)
    shares = [len(own) for own in turns]
    return statistics.median(every), every[int(len(every) * 0.99)], min(shares), max(shares)


def measure_revocation() -> tuple[float, float]:
    """Return how long after a force release its holder knows, p50 and p99 in ms."""
    from jobs import keys, locks
    from jobs.connection import store

    times = []
    for _ in range(REVOCATIONS):
        try:
            with locks.hold("revoked", lease=MINUTE) as lease:
                while not store().pubsub_numsub(keys.REVOCATIONS)[0][1]:
                    time.sleep(0.001)
                began = time.perf_counter()
                locks.force_release("revoked", token=lease.token, by="bench", reason="bench")
                while not lease.lost:
                    time.sleep(0)
                times.append((time.perf_counter() - began) * 1000)
        except locks.LeaseLost:
            continue
    times.sort()
    return statistics.median(times), times[int(len(times) * 0.99)]


def measure_listing() -> float:
    """Return how long the 100 holds nearest to being stuck of 10,000 take to read, in ms, the median."""
    from jobs import locks
    from jobs.reads.locks import read_nearest_to_stuck

    for number in range(MANY):
        locks.acquire(f"many:{number}", holder="bench", lease=timedelta(hours=1), max_duration=MINUTE)
    times = []
    for _ in range(30):
        began = time.perf_counter()
        rows = read_nearest_to_stuck(NEAREST).rows
        times.append((time.perf_counter() - began) * 1000)
        assert len(rows) == NEAREST
    return statistics.median(times)


def main() -> None:
    rates = count_pairs()
    print(f"{'acquire + release, one client':34}{'per second':>12}{'of redis-py':>14}")
    for name, rate in rates.items():
        print(f"  {name:32}{rate:12,.0f}{rate / rates['redis-py Lock']:14.2f}")
    print(
        f"\n{f'{WAITERS} waiters, holding {HOLD_S * 1000:g} ms':34}"
        f"{'wait p50 ms':>12}{'p99 ms':>10}{'turns, least-most':>20}"
    )
    for name in HOLDS:
        half, most, least_turns, most_turns = measure_waits(name)
        print(f"  {name:32}{half:12.1f}{most:10.1f}{f'{least_turns}-{most_turns}':>20}")
    half, most = measure_revocation()
    print(f"\na holder knows of a force release after {half:.1f} ms (p50), {most:.1f} ms (p99)")
    print(f"the {NEAREST} nearest to stuck of {MANY:,}: {measure_listing():.1f} ms")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, fresh_server(Path(folder)):
        main()
