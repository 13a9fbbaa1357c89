"""A worker in the test's own process: its horses are real, and the test sees what they report."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jobs.connection import store
from jobs.horses.messages import Kind, Order
from jobs.queue import Queue
from jobs.rides import RideEnd, ride, time_limit
from jobs.worker import Worker
from tests import factories

UNTIDY = "tests.samples.untidy"
Run = Callable[..., RideEnd]
Answer = Callable[..., Any]


@pytest.fixture
def allow(settings) -> Callable[..., None]:
    """Let workers run the untidy functions, with further settings."""

    def allow_with(**further: Any) -> None:
        settings.MANDOR = {"ALLOW": (f"{UNTIDY}.*",), **further}

    allow_with()
    return allow_with


@pytest.fixture
def worker(allow) -> Iterator[Worker]:
    worker = Worker([Queue("mail", connection=store())], connection=store())
    yield worker
    worker.stable.close()
    worker.connection.connection_pool.disconnect()


@pytest.fixture
def run(worker) -> Run:
    """Have the worker's horse run a function, and return how the ride ended."""

    def run_function(name: str, *, timeout: int = 60, **arguments: Any) -> RideEnd:
        Queue("mail", connection=store()).enqueue(f"{UNTIDY}.{name}", job_timeout=timeout, **arguments)
        claim = factories.start("mail")
        return ride(worker, Order(Kind.CALL, claim, time_limit(claim)))

    return run_function


@pytest.fixture
def answer(run) -> Answer:
    """Have the worker's horse run a function, and return what it returned."""

    def answer_of(name: str, **arguments: Any) -> Any:
        report = run(name, **arguments).report
        assert report.done, report.traceback
        return json.loads(report.result_bytes or b"null")

    return answer_of
