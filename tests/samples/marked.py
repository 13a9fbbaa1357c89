"""Jobs that leave a mark where they begin and where they end, so that a checker knows what ran, and how far."""

import json
import os
import random
import time
from datetime import timedelta

from structlog.contextvars import get_contextvars

from jobs import coordinated

MARKS = "MARKS"
"""The environment variable that names the file of marks."""

MANY = 10_000
LONG = timedelta(minutes=1)


class Unlucky(Exception):
    """What a marked job raises now and then."""


@coordinated(queue="mail", retries=MANY, max_duration=LONG)
def plain(*, seconds: float, risk: float = 0.0) -> str:
    return _run(seconds, risk)


@coordinated(queue="reports", resource="marked:{resource}", retries=MANY, max_duration=LONG)
def locked(*, resource: int, seconds: float, risk: float = 0.0) -> str:
    return _run(seconds, risk)


@coordinated(queue="billing", cache="marked:{entry}", retries=MANY, max_duration=LONG)
def cached(*, entry: int, seconds: float, risk: float = 0.0) -> str:
    return _run(seconds, risk)


def _run(seconds: float, risk: float) -> str:
    """Work for a while; raises Unlucky with the probability `risk`. Returns the name of this run, unlike any other."""
    run = f"{os.getpid()}.{time.monotonic_ns()}"
    _mark(run, "began")
    time.sleep(seconds)
    if random.random() < risk:  # noqa: S311  no secret
        _mark(run, "raised")
        raise Unlucky(run)
    _mark(run, "ended")
    return run


def _mark(run: str, what: str) -> None:
    """Append one line; the system writes it whole, also when the process is killed meanwhile."""
    line = {
        "run": run,
        "what": what,
        "job": os.environ["RQ_JOB_ID"],
        "worker": os.getppid(),
        "resource": get_contextvars().get("resource", ""),
    }
    file = os.open(os.environ[MARKS], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, json.dumps(line).encode() + b"\n")
    os.close(file)
