"""Mandor and what runs beside it: how each enqueues jobs that do nothing, and how its two workers are started."""

import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.workers import RQWORKER, running, wait_until

FROM, TO = 0.25, 0.9
"""The part of the jobs that is timed: from when both workers are surely at work, to before one has nothing left."""


@dataclass(frozen=True)
class Engine:
    """`jobs` take about ten seconds; `waiting` is the list they wait on."""

    name: str
    jobs: int
    waiting: str
    enqueue: Callable[[], object]
    workers: list[list[str]]


def list_engines() -> list[Engine]:
    """Return all of them, in the order in which they are printed."""
    from redis import Redis
    from rq import Queue

    from benchmarks import errands
    from benchmarks.no_ops import celery_app, dramatiq_app, huey_app, plain

    url = os.environ["REDIS_URL"]
    stock = Queue("stock", connection=Redis.from_url(url))
    rq = [sys.executable, "-m", "rq.cli", "worker", "stock", "--url", url]
    celery = ["-A", "benchmarks.no_ops.celery_app", "worker", "--concurrency", "2", "--loglevel", "INFO"]
    dramatiq = ["benchmarks.no_ops.dramatiq_app", "--processes", "2", "--threads", "1"]
    huey = ["benchmarks.no_ops.huey_app.huey", "--workers", "2", "--worker-type", "process"]
    return [
        Engine("Mandor", 6_000, "rq:queue:mail", errands.plain.enqueue, [[*RQWORKER, "mail"]] * 2),
        Engine("RQ's Worker", 1_200, "rq:queue:stock", lambda: stock.enqueue(plain.nothing), [rq] * 2),
        Engine("Celery, prefork", 8_000, "celery", celery_app.nothing.delay, [_module("celery", celery)]),
        Engine(
            "Dramatiq",
            30_000,
            "dramatiq:default",
            dramatiq_app.nothing.send,
            [_module("dramatiq", dramatiq)],
        ),
        Engine(
            "Huey",
            40_000,
            "huey.redis.no_ops",
            huey_app.nothing,
            [_module("huey.bin.huey_consumer", huey)],
        ),
    ]


def measure_rate(engine: Engine, scale: float) -> float:
    """Return jobs per second of two workers, from a quarter to nine tenths of the jobs."""
    from jobs.connection import store

    store().flushall()
    total = max(20, int(engine.jobs * scale))
    for _ in range(total):
        engine.enqueue()
    assert store().llen(engine.waiting) == total
    with running(*engine.workers) as workers:
        times = []
        for share in (FROM, TO):
            wait_until(
                lambda share=share: (
                    store().llen(engine.waiting) <= total * (1 - share)
                    or any(worker.poll() is not None for worker in workers)
                ),
            )
            assert all(worker.poll() is None for worker in workers), f"a worker of {engine.name} ended"
            times.append((time.perf_counter(), store().llen(engine.waiting)))
        (began, before), (ended, after) = times
    return (before - after) / (ended - began)


def compare(engines: list[Engine], *, rounds: int, scale: float) -> dict[str, float]:
    """Return the median rate of each, by name; each round takes all of them in turn."""
    rates = [[measure_rate(engine, scale) for engine in engines] for _ in range(rounds)]
    return {engine.name: statistics.median(own) for engine, own in zip(engines, zip(*rates, strict=True), strict=True)}


def _module(name: str, arguments: list[str]) -> list[str]:
    return [sys.executable, "-m", name, *arguments]
