"""How fast the upkeep moves jobs that are due, how long each step holds the server up, and how late it is.

`uv run python benchmarks/due.py`

50,000 jobs are due at once, on one queue and then over five. The steps are timed by the server (INFO commandstats and
the slow log). Then single jobs are scheduled for a short moment each, and it is measured how long after it they are on
their queue. At last the leader idles, and the scripts and blocks that it sends are counted.
"""

import statistics
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.server import fresh_server

JOBS = 50_000
PIECE = 1_000
TERM = timedelta(seconds=6)
SLOW_US = 5_000
DELAYS_MS = (50, 150, 300, 700, 1_500)
TRIALS = 8
IDLE_S = 20


def schedule(queues: list[str]) -> None:
    """Write 50,000 jobs that are due, as the product's own script does, and make them due by their score."""
    from jobs import keys
    from jobs.connection import store

    pipe = store().pipeline(transaction=False)
    for number in range(JOBS):
        queue = queues[number % len(queues)]
        fields = {"status": "scheduled", "origin": queue, "m_name": "bench.job", "m_state": "retrying", "timeout": 180}
        pipe.hset(keys.job(f"job-{number}"), mapping=fields)
        pipe.zadd(keys.scheduled(queue), {f"job-{number}": 1 + number / JOBS})
        if number % PIECE == PIECE - 1:
            pipe.execute()


def move_all(queues: list[str]) -> None:
    from jobs import rounds
    from jobs.connection import store

    store().flushall()
    schedule(queues)
    store().config_set("slowlog-log-slower-than", SLOW_US)
    store().config_set("slowlog-max-len", JOBS)
    store().slowlog_reset()
    store().config_resetstat()
    moved, steps, began = 0, [], time.perf_counter()
    while moved < JOBS:
        step_began = time.perf_counter()
        done = rounds.go_round(store(), queues, candidate="mandor:bench", term=TERM)
        steps.append((time.perf_counter() - step_began) * 1000)
        moved += done.moved
        queues = queues[1:] + queues[:1]
    took = time.perf_counter() - began
    server_ms = store().info("commandstats")["cmdstat_evalsha"]["usec_per_call"] / 1000
    slow = [row for row in store().slowlog_get(JOBS) if b"EVALSHA" in row["command"]]
    p99 = statistics.quantiles(steps, n=100)[98]
    print(
        f"  {len(queues)} queues: {JOBS / took:10,.0f} jobs/s, {len(steps)} steps, in the server {server_ms:.2f} ms,"
        f" p99 {p99:.2f} ms with the way there, {len(slow)} over {SLOW_US / 1000:g} ms",
    )


def measure_lateness() -> None:
    """Print how long after its moment a job is on its queue, of an upkeep that runs as in a worker."""
    from jobs import coordinated, keys
    from jobs.connection import store
    from jobs.upkeep import Upkeep

    @coordinated(queue="mail", name="bench.late")
    def late() -> None: ...

    store().flushall()
    upkeep = Upkeep(store(), name="bench", queues=["mail"])
    upkeep.start()
    time.sleep(2)
    for delay in DELAYS_MS:
        waits = []
        for _ in range(TRIALS):
            began = time.perf_counter()
            late.enqueue_in(timedelta(milliseconds=delay))
            while not store().llen(keys.queue("mail")):
                time.sleep(0.001)
            waits.append((time.perf_counter() - began) * 1000 - delay)
            store().delete(keys.queue("mail"))
            time.sleep(0.137)
        print(
            f"  due in {delay:5} ms: late by {statistics.median(waits):6.1f} ms (median), {max(waits):6.1f} ms at most"
        )
    count_idle()
    upkeep.stop()


def count_idle() -> None:
    from jobs.connection import store

    store().config_resetstat()
    time.sleep(IDLE_S)
    stats = store().info("commandstats")
    sent = {name.removeprefix("cmdstat_"): each["calls"] for name, each in stats.items()}
    top = ("evalsha", "blpop")
    print(f"  idle leader: {', '.join(f'{sent.get(name, 0) / IDLE_S:.2f} {name}' for name in top)} a second")


def main() -> None:
    print(f"{JOBS:,} jobs that are due")
    move_all(["mail"])
    move_all(["mail", "reports", "billing", "a", "b"])
    print("one job at a time")
    measure_lateness()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, fresh_server(Path(folder)):
        main()
