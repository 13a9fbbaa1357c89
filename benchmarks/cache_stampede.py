"""A stampede for the benchmark of the cache: many processes of many threads read one key at once."""

import json
import statistics
import threading
import time
from datetime import timedelta
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.cache_libraries import MINUTE, READERS, VALUE, raw

if TYPE_CHECKING:
    from multiprocessing.queues import Queue
    from multiprocessing.synchronize import Barrier

COMPUTE_S, TRIALS, PROCESSES = 0.2, 5, 4
RAW = "raw GET + json"
PAUSE_S = 1.3
"""Between two trials; the counters of the one before are written meanwhile."""


class Stampede(NamedTuple):
    """Computations a trial; the readers' waits in ms (p50, p99 of a usual trial and of the quietest); the commands that
    were sent and run a trial.
    """

    computed: float
    half: float
    most: float
    quietest: float
    sent: float
    ran: float


def take_part(
    name: str, threads: int, keys: list[str], gates: "list[Barrier]", out: "Queue[list[list[float]]]"
) -> None:
    """Read each key with all threads at once, when its gate opens, and report how long each read took."""
    from jobs.connection import store

    read, waits = (raw if name == RAW else READERS[name])(), [[] for _ in keys]
    ready = [threading.Barrier(threads + 1) for _ in keys]
    gone = [threading.Barrier(threads + 1) for _ in keys]

    def compute() -> object:
        store().incr(f"computed:{name}")
        time.sleep(COMPUTE_S)
        return VALUE

    def run() -> None:
        read("warm:up", lambda: 1)
        for number, key in enumerate(keys):
            ready[number].wait()
            began = time.perf_counter()
            read(key, compute)
            waits[number].append(time.perf_counter() - began)
            gone[number].wait()

    workers = [threading.Thread(target=run, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for number in range(len(keys)):
        gates[2 * number].wait()
        ready[number].wait()
        gone[number].wait()
        gates[2 * number + 1].wait()
    out.put(waits)


def measure_stampede(name: str, threads: int, *, stale: bool = False) -> Stampede:
    """Let all readers read a missing key at once, or one with a stale value, in a few trials."""
    from jobs.connection import store

    fork = get_context("fork")
    keys = [f"trial-{threads}-{stale}:{number}" for number in range(TRIALS)]
    if stale:
        _fill(keys)
    gates = [fork.Barrier(PROCESSES + 1) for _ in range(2 * TRIALS)]
    out = fork.Queue()
    store().set(f"computed:{name}", 0)
    store().connection_pool.disconnect()
    parts = [fork.Process(target=take_part, args=(name, threads, keys, gates, out)) for _ in range(PROCESSES)]
    for part in parts:
        part.start()
    sent, ran = [], []
    for number in range(TRIALS):
        time.sleep(PAUSE_S)
        sent_before, ran_before = count_commands()
        gates[2 * number].wait()
        gates[2 * number + 1].wait()
        sent_after, ran_after = count_commands()
        sent.append(sent_after - sent_before)
        ran.append(ran_after - ran_before)
    reports = [out.get() for _ in parts]
    for part in parts:
        part.join()
    trials = [sorted(wait * 1000 for report in reports for wait in report[number]) for number in range(TRIALS)]
    slowest = [waits[int(len(waits) * 0.99)] for waits in trials]
    return Stampede(
        computed=int(store().get(f"computed:{name}")) / TRIALS,
        half=statistics.median(wait for waits in trials for wait in waits),
        most=statistics.median(slowest),
        quietest=min(slowest),
        sent=statistics.median(sent),
        ran=statistics.median(ran),
    )


def _fill(keys: list[str]) -> None:
    """Leave a stale value at each key, and what a plain `GET` reads."""
    from jobs import caching
    from jobs.connection import store

    for key in keys:
        caching.get_or_refresh(key, lambda: VALUE, fresh_for=timedelta(milliseconds=1), stale_for=MINUTE)
        store().set(f"raw:{key}", json.dumps(VALUE))


def count_commands() -> tuple[int, int]:
    """Return the commands that clients sent so far, and those the server ran, without this benchmark's own."""
    from jobs.connection import store

    own = {"cmdstat_info", "cmdstat_incr", "cmdstat_client|setinfo", "cmdstat_hello"}
    ran = sum(each["calls"] for name, each in store().info("commandstats").items() if name not in own)
    stats = store().info("stats")
    return stats["total_reads_processed"], ran
