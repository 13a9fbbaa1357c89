"""What a job writes with `logging` while it runs, kept for its page: the last lines, live, and gone a while later.

A job that logs nothing costs no Redis command and no thread. One that logs costs a command twice a second, however much
it logs; while Redis is away its newest lines wait, and the job notices nothing.
"""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import quote

from jobs.conf import conf
from jobs.log_tails import LogTail

EVERY = timedelta(seconds=0.5)
AFTER_SUCCESS = timedelta(hours=1)
AFTER_FAILURE = timedelta(weeks=1)
WRITER = "job log"


@contextmanager
def capture(job_id: str, *, attempt: int) -> Iterator["Captured"]:
    """Keep what reaches the root logger inside the block as the job's log, after the lines of attempts before.

    It is kept for an hour after a block that set `succeeded` on what this yields, else for a week; so is the log of a
    job whose process is killed. No handler and no thread is left behind. Raises nothing by itself.
    """
    handler, captured = _Capture(LogTail(job_id, attempt)), Captured()
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield captured
    finally:
        root.removeHandler(handler)
        handler.end(AFTER_SUCCESS if captured.succeeded else AFTER_FAILURE)


def log_url(job_id: str) -> str:
    """Return where `MANDOR["LOG_URL"]` shows the lines of this job, empty without that setting."""
    return conf().LOG_URL.replace("{job_id}", quote(job_id, safe="", errors="surrogateescape"))


@dataclass(slots=True)
class Captured:
    """How a job ended whose log is captured."""

    succeeded: bool = False


class _Capture(logging.Handler):
    """Gathers the lines of this process; a thread that starts with the first of them writes them down."""

    def __init__(self, tail: LogTail) -> None:
        super().__init__()
        self._tail = tail
        self._pid = os.getpid()
        self._writer: threading.Thread | None = None
        self._ended = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if record.threadName == WRITER:
            return
        with suppress(Exception):
            if os.getpid() == self._pid:
                self._tail.add(record)
                self._start()
        _hand_on(record, self)

    def end(self, keep: timedelta) -> None:
        """Write down what is left, to be kept for so long from now on."""
        if os.getpid() != self._pid:
            return
        self._ended.set()
        if self._writer:
            self._writer.join()
            self._tail.write(keep, last=True)

    def _start(self) -> None:
        if self._writer is None:
            writer = threading.Thread(target=self._write, name=WRITER, daemon=True)
            writer.start()
            self._writer = writer

    def _write(self) -> None:
        while not self._ended.is_set():
            self._tail.write(AFTER_FAILURE)
            self._ended.wait(EVERY.total_seconds())


def _hand_on(record: logging.LogRecord, handler: logging.Handler) -> None:
    """Let a warning that no other handler hears reach standard error, as `logging` does where it knows no handler."""
    last = logging.lastResort
    if last is None or record.levelno < last.level:
        return
    logger: logging.Logger | None = logging.getLogger(record.name)
    while logger:
        if any(other is not handler for other in logger.handlers):
            return
        logger = logger.parent if logger.propagate else None
    last.handle(record)
