"""The cache beside Django's, dogpile.cache, cashews and django-cacheops, in one run.

`uv run --group bench python benchmarks/cache.py`

Hits: one client reads one fresh entry of 700 bytes, in slices of 0.1 s whose order is shuffled; the figure is the 90th
percentile of the slices. Stampedes: processes of many threads each read one key at once, whose source takes 200 ms;
how often it is computed, how long the readers wait, the commands that their clients send, and those the server runs in
all, with the ones inside scripts.
"""

import asyncio
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.server import fresh_server

ROUNDS, SLICE_S = 40, 0.1
COMPUTE_S, TRIALS = 0.2, 5
PROCESSES = 4
PORT = 7471
MINUTE = timedelta(minutes=1)
VALUE = {"rows": [{"id": number, "name": f"row {number}", "total": number * 3} for number in range(16)]}

Read = Callable[[str, Callable[[], object]], object]


def mandor() -> Read:
    from jobs import caching

    def read(key: str, compute: Callable[[], object]) -> object:
        return caching.get_or_refresh(key, compute, fresh_for=MINUTE, stale_for=MINUTE).value

    return read


def django_cache() -> Read:
    from django.core.cache.backends.redis import RedisCache

    cache = RedisCache(URL[0], {})
    return lambda key, compute: cache.get_or_set(key, compute, 60)


def dogpile() -> Read:
    from dogpile.cache import make_region

    arguments = {"url": URL[0], "distributed_lock": True, "thread_local_lock": False, "lock_timeout": 10}
    region = make_region().configure("dogpile.cache.redis", expiration_time=60, arguments=arguments)
    return lambda key, compute: region.get_or_create(f"dogpile:{key}", compute)


def cashews() -> Read:
    from cashews import Cache

    cache = Cache()
    cache.setup(URL[0])
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    async def get(key: str, compute: Callable[[], object]) -> object:
        @cache(ttl="1m", key=key, lock=True)
        async def computed() -> object:
            return await asyncio.to_thread(compute)

        return await computed()

    return lambda key, compute: asyncio.run_coroutine_threadsafe(get(key, compute), loop).result()


URL: list[str] = []
READERS = {"mandor": mandor, "Django RedisCache": django_cache, "dogpile.cache": dogpile, "cashews": cashews}


def raw_hit() -> Callable[[], object]:
    import json

    from jobs.connection import store

    store().set("raw", json.dumps(VALUE))
    return lambda: json.loads(store().get("raw"))


def django_hit() -> Callable[[], object]:
    from django.core.cache.backends.redis import RedisCache

    cache = RedisCache(URL[0], {})
    cache.set("hit", VALUE)
    return lambda: cache.get("hit")


def dogpile_hit() -> Callable[[], object]:
    read = dogpile()
    return lambda: read("hit", lambda: VALUE)


def mandor_hit() -> Callable[[], object]:
    read = mandor()
    return lambda: read("bench:hit", lambda: VALUE)


def cacheops_hit() -> Callable[[], object]:
    from django.conf import settings

    settings.CACHEOPS_REDIS = URL[0]
    from cacheops import cache

    cache.set("cacheops", VALUE, timeout=600)
    return lambda: cache.get("cacheops")


def cashews_hits() -> Callable[[], object]:
    """Return what reads in a loop of its own for one slice, as its users are coroutines."""
    from cashews import Cache

    cache, loop = Cache(), asyncio.new_event_loop()
    cache.setup(URL[0])
    loop.run_until_complete(cache.set("cashews", VALUE, expire="10m"))
    return lambda: loop.run_until_complete(cache.get("cashews"))


HITS = {
    "mandor": mandor_hit,
    "raw GET + json": raw_hit,
    "Django RedisCache.get": django_hit,
    "dogpile.cache get_or_create": dogpile_hit,
    "django-cacheops cache.get": cacheops_hit,
    "cashews get": cashews_hits,
}


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


def take_part(name: str, threads: int, keys: list[str], gates: "list[Barrier]", out: "Queue[list[float]]") -> None:  # noqa: F821
    """Read each key with all threads at once, when its gate opens, and report how long each read took."""
    from jobs.connection import store

    read, waits = READERS[name](), []
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
            waits.append(time.perf_counter() - began)
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


def measure_stampede(name: str, threads: int, *, stale: bool = False) -> tuple[float, float, float, float, float]:
    """Return computations a trial, the readers' waits p50 and p99 in ms, and the commands sent and run."""
    from jobs.connection import store

    fork = get_context("fork")
    keys = [f"trial-{threads}-{stale}:{number}" for number in range(TRIALS)]
    if stale:
        from jobs import caching

        for key in keys:
            caching.get_or_refresh(key, lambda: VALUE, fresh_for=timedelta(milliseconds=1), stale_for=MINUTE)
    gates = [fork.Barrier(PROCESSES + 1) for _ in range(2 * TRIALS)]
    out = fork.Queue()
    store().set(f"computed:{name}", 0)
    store().connection_pool.disconnect()
    parts = [fork.Process(target=take_part, args=(name, threads, keys, gates, out)) for _ in range(PROCESSES)]
    for part in parts:
        part.start()
    sent, ran = [], []
    for number in range(TRIALS):
        time.sleep(1.3)
        sent_before, ran_before = count_commands()
        gates[2 * number].wait()
        gates[2 * number + 1].wait()
        sent_after, ran_after = count_commands()
        sent.append(sent_after - sent_before)
        ran.append(ran_after - ran_before)
    waits = sorted(wait * 1000 for _ in parts for wait in out.get())
    for part in parts:
        part.join()
    computed, most = int(store().get(f"computed:{name}")) / TRIALS, waits[int(len(waits) * 0.99)]
    return computed, statistics.median(waits), most, statistics.median(sent), statistics.median(ran)


def count_commands() -> tuple[int, int]:
    """Return the commands that clients sent so far, and those the server ran, without this benchmark's own."""
    from jobs.connection import store

    own = {"cmdstat_info", "cmdstat_incr", "cmdstat_client|setinfo", "cmdstat_hello"}
    ran = sum(each["calls"] for name, each in store().info("commandstats").items() if name not in own)
    stats = store().info("stats")
    return stats["total_reads_processed"], ran


def main() -> None:
    rates = count_hits()
    print(f"{'a hit, one client':34}{'per second':>12}{'of raw':>10}{'of Django':>12}")
    raw, django = rates["raw GET + json"], rates["Django RedisCache.get"]
    for name, rate in rates.items():
        print(f"  {name:32}{rate:12,.0f}{rate / raw:10.2f}{rate / django:12.2f}")
    for threads in (8, 32):
        head = f"{PROCESSES} processes of {threads} readers, cold"
        print(f"\n{head:34}{'computed':>12}{'p50 ms':>10}{'p99 ms':>10}{'sent':>8}{'run':>8}")
        for name in READERS:
            computed, half, most, sent, ran = measure_stampede(name, threads)
            print(f"  {name:32}{computed:12.1f}{half:10.1f}{most:10.1f}{sent:8.0f}{ran:8.0f}")
        computed, half, most, sent, ran = measure_stampede("mandor", threads, stale=True)
        print(f"  {'mandor, a stale value there':32}{computed:12.1f}{half:10.1f}{most:10.1f}{sent:8.0f}{ran:8.0f}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, fresh_server(Path(folder), port=PORT) as url:
        URL.append(url)
        main()
