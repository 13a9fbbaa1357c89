"""Run one call to its end, within its time, whatever it does, and tell how it went."""

import asyncio
import base64
import signal
import traceback
from collections.abc import Callable  # noqa: TC003  annotates an attribute at run time
from types import FrameType
from typing import Any

from rq.job import Retry
from rq.serializers import Serializer

from jobs import caching
from jobs.horses.messages import Report
from jobs.permits import Call

TRACEBACK_LIMIT = 48_000
ERROR_LIMIT = 200
UNSERIALISABLE = "Unserializable return value"


class MaxDurationExceeded(BaseException):
    """The job ran longer than its `max_duration`. Not an Exception, so that no `except Exception` swallows it."""


def run_call(call: Call, serializer: Serializer, *, timeout: float, cached: bool) -> Report:
    """Run a call and return how it went; whatever it raises becomes part of the report.

    `timeout` is in seconds; at its end MaxDurationExceeded is raised inside the job. `cached`: the value must be JSON.
    """
    try:
        with _deadline(timeout):
            value = call.function(*call.args, **call.kwargs)
            if asyncio.iscoroutine(value):
                value = asyncio.run(value)
        return _returned(value, serializer, cached=cached)
    except BaseException as error:  # noqa: BLE001  a job may raise anything, and its parent must hear of it
        return _raised(error)


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
    timed_out = isinstance(error, MaxDurationExceeded)
    return Report(done=False, error=_printable(text)[:ERROR_LIMIT], traceback=_printable(lines), timed_out=timed_out)


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
