"""Callbacks for jobs of plain RQ clients."""

from typing import Any

from redis import Redis
from rq.job import Job


def note_result(_job: Job, connection: Redis, result: Any) -> None:
    """Leave the result where a test finds it."""
    connection.set("noted", str(result))


def note_failure(_job: Job, connection: Redis, _kind: Any, error: Any, _traceback: Any) -> None:
    """Leave the error where a test finds it."""
    connection.set("noted", str(error))


def fall_over(*_: Any) -> None:
    """Raise, as a careless callback or exception handler does."""
    message = "a callback fell over"
    raise RuntimeError(message)
