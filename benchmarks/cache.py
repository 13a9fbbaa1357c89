"""The cache beside Django's, dogpile.cache, cashews and django-cacheops, in one run.

`uv run --group bench python benchmarks/cache.py`

Hits: one client reads one fresh entry of 700 bytes, in slices of 0.1 s whose order is shuffled; the figure is the 90th
percentile of the slices. Stampedes: processes of many threads each read one key at once, whose source takes 200 ms;
how often it is computed, how long the readers wait (in a usual trial and in the quietest one), the commands that their
clients send, and those the server runs in all, with the ones inside scripts. A plain `GET` under the same readers says
how much of the waiting is the machine's.
"""

import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.cache_libraries import HITS, READERS, URL
from benchmarks.cache_stampede import PROCESSES, RAW, Stampede, measure_stampede
from benchmarks.server import fresh_server

ROUNDS, SLICE_S = 40, 0.1
PORT = 7471


def count_hits() -> dict[str, float]:
    """Return hits per second for each, the 90th percentile of its slices."""
    hits = {name: make() for name, make in HITS.items()}
    rates: dict[str, list[float]] = {name: [] for name in hits}
    for hit in hits.values():
        hit()
    for _ in range(ROUNDS):
        for name in random.sample(list(hits), len(hits)):
            hit, began, done = hits[name], time.perf_counter(), 0
            while time.perf_counter() - began < SLICE_S:
                hit()
                done += 1
            rates[name].append(done / (time.perf_counter() - began))
    return {name: statistics.quantiles(values, n=10)[8] for name, values in rates.items()}


def main() -> None:
    rates = count_hits()
    print(f"{'a hit, one client':34}{'per second':>12}{'of raw':>10}{'of Django':>12}")
    raw, django = rates["raw GET + json"], rates["Django RedisCache.get"]
    for name, rate in rates.items():
        print(f"  {name:32}{rate:12,.0f}{rate / raw:10.2f}{rate / django:12.2f}")
    for threads in (8, 32):
        head = f"{PROCESSES} processes of {threads} readers"
        print(f"\n{head:34}{'computed':>12}{'p50 ms':>10}{'p99 ms':>10}{'at best':>10}{'sent':>8}{'run':>8}")
        for name in READERS:
            print_stampede(f"{name}, cold", measure_stampede(name, threads))
        for name in ("mandor", RAW):
            print_stampede(f"{name}, a stale value there", measure_stampede(name, threads, stale=True))


def print_stampede(title: str, of: Stampede) -> None:
    waits = "".join(f"{wait:10.1f}" for wait in (of.half, of.most, of.quietest))
    print(f"  {title:32}{of.computed:12.1f}{waits}{of.sent:8.0f}{of.ran:8.0f}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, fresh_server(Path(folder), port=PORT) as url:
        URL.append(url)
        main()
