"""The child that runs one job. It only runs: it reports through a pipe, and its parent commits.

When the parent dies, its end of the lifeline closes and the horse kills itself: a killed worker leaves nothing behind
that goes on working.
"""

import base64
import json
import os
import signal
import struct
import threading
import traceback
from collections.abc import Callable  # noqa: TC003  annotates an attribute at run time
from contextlib import suppress
from dataclasses import asdict, dataclass
from types import FrameType
from typing import Any

from django import db
from rq.job import Retry
from rq.serializers import Serializer

from jobs import caching
from jobs.permits import Call

HEADER = struct.Struct(">Q")
TRACEBACK_LIMIT = 48_000
ERROR_LIMIT = 200
UNSERIALISABLE = "Unserializable return value"


class MaxDurationExceeded(BaseException):
    """The job ran longer than its `max_duration`. Not an Exception, so that no `except Exception` swallows it."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a horse tells its parent: a result, or an error with its traceback, or that the job asked for a retry."""

    done: bool
    result: str = ""
    value: str = ""
    error: str = ""
    traceback: str = ""
    retry: dict[str, Any] | None = None

    @property
    def result_bytes(self) -> bytes | None:
        return base64.b64decode(self.result) if self.result else None


def run_call(call: Call, serializer: Serializer, *, timeout: float, cached: bool) -> Report:
    """Run a call and return how it went; whatever it raises becomes part of the report.

    `timeout` is in seconds; at its end MaxDurationExceeded is raised inside the job. `cached`: the value must be JSON.
    """
    try:
        with _deadline(timeout):
            value = call.function(*call.args, **call.kwargs)
        return _returned(value, serializer, cached=cached)
    except BaseException as error:  # noqa: BLE001  a job may raise anything, and its parent must hear of it
        return _raised(error)


def send_report(pipe: int, report: Report) -> None:
    """Write a report into the pipe: its length, then JSON."""
    body = json.dumps(asdict(report)).encode()
    message = HEADER.pack(len(body)) + body
    while message:
        message = message[os.write(pipe, message) :]


class ReportReader:
    """Puts a report together from what the pipe gives, piece by piece."""

    def __init__(self) -> None:
        self._buffer = b""

    def feed(self, piece: bytes) -> Report | None:
        """Return the report once it is whole."""
        self._buffer += piece
        if len(self._buffer) < HEADER.size:
            return None
        (length,) = HEADER.unpack_from(self._buffer)
        body = self._buffer[HEADER.size :]
        return Report(**json.loads(body)) if len(body) >= length else None


def watch_lifeline(lifeline: int) -> None:
    """Kill this process group as soon as the parent's end of the pipe closes."""

    def watch() -> None:
        while os.read(lifeline, 1):
            pass
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, name="lifeline", daemon=True).start()


def leave(status: int) -> None:
    """End the horse without running its parent's exit handlers."""
    with suppress(Exception):
        db.connections.close_all()
    with suppress(Exception):
        caching.flush_counts()
    os._exit(status)


def _returned(value: Any, serializer: Serializer, *, cached: bool) -> Report:
    if isinstance(value, Retry):
        wanted = {"max": value.max, "interval": value.intervals, "enqueue_at_front": value.enqueue_at_front}
        return Report(done=True, retry=wanted)
    text = caching.encode_value(value) if cached else ""
    return Report(done=True, value=text, result=_serialise(value, serializer))


def _serialise(value: Any, serializer: Serializer) -> str:
    if value is None:
        return ""
    try:
        written = serializer.dumps(value)
    except Exception:  # noqa: BLE001  RQ too keeps such a job finished and says so in its result
        written = serializer.dumps(UNSERIALISABLE)
    return base64.b64encode(written).decode()


def _raised(error: BaseException) -> Report:
    text = f"{type(error).__name__}: {error}".strip().removesuffix(":")
    lines = "".join(traceback.format_exception(error))
    if len(lines) > TRACEBACK_LIMIT:
        half = TRACEBACK_LIMIT // 2
        lines = f"{lines[:half]}\n… {len(lines) - TRACEBACK_LIMIT:,} characters left out …\n{lines[-half:]}"
    return Report(done=False, error=_printable(text)[:ERROR_LIMIT], traceback=_printable(lines))


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


class _deadline:  # noqa: N801  reads as the context it is
    """Raise MaxDurationExceeded in the main thread when the time is over."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.before: Callable[[int, FrameType | None], Any] | int | None = None

    def __enter__(self) -> None:
        self.before = signal.signal(signal.SIGALRM, self._end)
        signal.setitimer(signal.ITIMER_REAL, max(self.seconds, 0))

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)

    def _end(self, _signum: int, _frame: FrameType | None) -> None:
        message = f"The job ran longer than its maximum of {self.seconds:g} s."
        raise MaxDurationExceeded(message)
