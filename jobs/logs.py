"""The log: one line for each step of a job, tied to its id. JSON where nobody watches, columns on a terminal.

The events: enqueued, taken, lock acquired, lock busy, lock renewed, lock released, cache read, cache refreshed, attempt
failed, retry due, reclaimed, crashed, dead, finished; each with what `bind_job` bound.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from structlog.stdlib import ProcessorFormatter
from structlog.typing import Processor

log: structlog.stdlib.BoundLogger = structlog.get_logger("mandor")

_steps: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.stdlib.PositionalArgumentsFormatter(),
    structlog.processors.StackInfoRenderer(),
]


@contextmanager
def bind_job(**context: Any) -> Iterator[None]:
    """Give every line inside the block the job's id, resource, queue, attempt and worker."""
    with structlog.contextvars.bound_contextvars(**context):
        yield


def configure_structlog() -> None:
    """Send structlog's events through `logging`, unless the project has configured structlog by itself.

    A project whose handlers have a formatter of their own gets each event as one line of text.
    """
    if structlog.is_configured():
        return
    handlers = logging.getLogger().handlers
    ours = any(isinstance(handler.formatter, ProcessorFormatter) for handler in handlers)
    last: list[Processor] = (
        [ProcessorFormatter.wrap_for_formatter]
        if ours
        else [
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["event"]),
        ]
    )
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *_steps, *last],
        wrapper_class=structlog.make_filtering_bound_logger(os.environ.get("MANDOR_LOG_LEVEL", "INFO").upper()),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )


def line_formatter() -> logging.Formatter:
    """Return the formatter for `LOGGING`, for structlog's events and for everybody else's lines (rq, django) alike.

    Lines are JSON, but columns on a terminal, and where `MANDOR_TERMINAL` says that one is at the pipe's end.
    """
    watched = sys.stderr.isatty() or bool(os.environ.get("MANDOR_TERMINAL"))
    shown: list[Processor] = (
        [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
        if watched
        else [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str),
        ]
    )
    return ProcessorFormatter(
        processors=[ProcessorFormatter.remove_processors_meta, *shown],
        foreign_pre_chain=[*_steps, structlog.stdlib.ExtraAdder()],
    )
