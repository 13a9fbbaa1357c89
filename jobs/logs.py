"""The log: one line for each step of a job, tied to its id."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger("mandor")


@contextmanager
def bind_job(**context: Any) -> Iterator[None]:
    """Give every line inside the block the job's id, queue, attempt and worker."""
    with structlog.contextvars.bound_contextvars(**context):
        yield
