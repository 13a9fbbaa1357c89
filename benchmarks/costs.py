"""What a job costs the server: round trips, commands, and the memory of what is kept of it."""

import sys
from collections.abc import Callable
from datetime import timedelta

from benchmarks.workers import RQWORKER, running

FEW, MANY = 100, 300
OWN_COMMANDS = {"cmdstat_info", "cmdstat_hello", "cmdstat_client|setinfo"}


def count_commands() -> tuple[int, int]:
    """Return the packets that clients sent so far, and the commands that the server ran, with those in scripts."""
    from jobs.connection import store

    ran = sum(each["calls"] for name, each in store().info("commandstats").items() if name not in OWN_COMMANDS)
    return store().info("stats")["total_reads_processed"], ran


def measure_commands(enqueue: Callable[[], object], worker: list[str]) -> tuple[float, float]:
    """Return round trips and commands per job, without its enqueueing, and without a worker's start and end."""
    (few_sent, few_ran), (many_sent, many_ran) = (_run(enqueue, worker, count) for count in (FEW, MANY))
    return (many_sent - few_sent) / (MANY - FEW), (many_ran - few_ran) / (MANY - FEW)


def _run(enqueue: Callable[[], object], worker: list[str], count: int) -> tuple[int, int]:
    for _ in range(count):
        enqueue()
    sent_before, ran_before = count_commands()
    with running([*worker, "--burst"]) as (process,):
        assert process.wait() == 0
    sent, ran = count_commands()
    return sent - sent_before, ran - ran_before


def list_commands() -> dict[str, tuple[float, float]]:
    """Return round trips and commands per job: a plain one, one with lock and cache, and one of RQ's own worker."""
    from benchmarks import errands
    from benchmarks.engines import list_engines

    mandor, stock = [*RQWORKER, "mail"], list_engines()[1]
    return {
        "plain job": measure_commands(errands.plain.enqueue, mandor),
        "with lock and cache": measure_commands(lambda: errands.cached.enqueue(key=7), mandor),
        "RQ's Worker": measure_commands(stock.enqueue, [sys.executable, *stock.workers[0][1:]]),
    }


def list_memory(count: int) -> dict[str, float]:
    """Return the bytes per job of all keys that belong to it, by what it is."""
    return {
        "waiting job, short fields": _growth(lambda: _enqueue("hello"), count),
        "waiting job, a field above 64 bytes": _growth(lambda: _enqueue("x" * 200), count),
        "dead letter of four attempts, no traceback": _growth(lambda: _bury(""), count),
        "dead letter, four tracebacks of 1,000 bytes": _growth(lambda: _bury("y" * 1000), count),
    }


def _growth(make: Callable[[], object], count: int) -> float:
    """Return how much more memory each further job takes, without the stream of the newest events, which is capped."""
    from jobs.connection import store

    store().flushall()
    make()
    before = _all_keys()
    for _ in range(count):
        make()
    return (_all_keys() - before) / count


def _all_keys() -> int:
    from jobs import keys
    from jobs.connection import store

    pipeline = store().pipeline(transaction=False)
    for key in set(store().scan_iter(count=1000)) - {keys.EVENTS.encode()}:
        pipeline.memory_usage(key, samples=0)
    return sum(used or 0 for used in pipeline.execute())


def _enqueue(text: str) -> None:
    from jobs.enqueueing import enqueue_job

    enqueue_job("tests.samples.jobs.echo", {"text": text})


def _bury(traceback: str) -> None:
    from jobs import claims, outcomes
    from jobs.connection import store
    from tests import factories

    _enqueue("hello")
    while True:
        claim = claims.claim_next(store(), factories.claimant("mail", name="bench"), claims.Request()).claim
        assert claim is not None
        text = "ValueError: no such address"
        if outcomes.fail(store(), claim, error=text, traceback=traceback, delay=timedelta(0)) is outcomes.Outcome.DEAD:
            return
