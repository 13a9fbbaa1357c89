"""What jobs cost, beside RQ's own worker, Celery, Dramatiq and Huey, in one run.

`uv run --group bench python benchmarks/throughput.py [SCALE]`

Rates: two workers each, as they come by default, run jobs that do nothing and were enqueued before; three rounds that
take all in turn, the median. Costs: round trips and commands per job as the server counts them, and the memory of all
keys of a job. Waits: for a resource that 200 jobs want, and for an idle worker. SCALE, 1 if left out, is for a quick
look: 0.05 runs a twentieth of the jobs.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.server import fresh_server

PORT = 7472
STOCK = "RQ's Worker"
ROUNDS, KEPT_JOBS, LATE_JOBS = 3, 1000, 60


def print_rates(scale: float) -> None:
    from benchmarks.engines import compare, list_engines

    rates = compare(list_engines(), rounds=ROUNDS if scale >= 1 else 1, scale=scale)
    print(f"{'two workers, jobs that do nothing':44}{'per second':>12}{'of RQ':>10}")
    for name, rate in rates.items():
        print(f"  {name:42}{rate:12,.0f}{rate / rates[STOCK]:10.1f}")


def print_costs(scale: float) -> None:
    from benchmarks.costs import list_commands, list_memory

    print(f"\n{'a job, without its enqueueing':44}{'round trips':>12}{'commands':>10}")
    for name, (sent, ran) in list_commands().items():
        print(f"  {name:42}{sent:12.1f}{ran:10.1f}")
    print(f"\n{'memory, all keys of a job':44}{'bytes':>12}")
    for name, used in list_memory(max(50, int(KEPT_JOBS * scale))).items():
        print(f"  {name:42}{used:12,.0f}")


def print_waits(folder: Path, scale: float) -> None:
    from benchmarks.waits import IDLE_S, TURNS, measure_idling, measure_parking

    print(f"\n{'8 workers, one resource, 20 ms each':44}{'idle':>12}{'each once':>12}{'in order':>10}")
    for jobs_per_horse in (1, 100):
        turns = max(16, int(TURNS * scale))
        idle, once, ordered = measure_parking(folder, jobs_per_horse=jobs_per_horse, turns=turns)
        print(f"  {f'JOBS_PER_HORSE = {jobs_per_horse}':42}{idle:12.0%}{once!s:>12}{ordered!s:>10}")
    print("\nan idle worker of five queues")
    for what, figure in measure_idling(folder, jobs=max(5, int(LATE_JOBS * scale)), idle_s=IDLE_S).items():
        print(f"  {what:42}{figure:12.1f}")


if __name__ == "__main__":
    factor = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    with tempfile.TemporaryDirectory() as name, fresh_server(Path(name), port=PORT):
        print_rates(factor)
        print_costs(factor)
        print_waits(Path(name), factor)
