"""The end of a job's log: at most 200 lines and 32 KB, one string of JSON lines, written whole each time."""

import json
import logging
from collections import deque
from contextlib import suppress
from datetime import timedelta
from typing import Any, NamedTuple

from redis.exceptions import RedisError
from structlog.processors import format_exc_info

from jobs import keys
from jobs.connection import store
from jobs.masking import mask, mask_text

LINES = 200
BYTES = 32_768
LONGEST_LINE = 1_000
LONGEST_RECORD = 16_000
META = {"event", "exception", "stack", "level", "logger", "timestamp"}
BOUND = {"job_id", "resource", "queue", "worker", "attempt"}

_plain = logging.Formatter("%(message)s")


class Line(NamedTuple):
    """One line: its number in the job's log, when by the worker's clock (ms), its level, logger, attempt and text."""

    number: int
    at: int
    level: str
    logger: str
    attempt: int
    text: str


class LogTail:
    """The newest lines of one job; any thread adds to them, one at a time writes them."""

    def __init__(self, job_id: str, attempt: int) -> None:
        self._key = keys.log(job_id)
        self._attempt = attempt
        self._count = 0
        self._new: deque[Line] = deque(maxlen=LINES)
        self._kept: deque[bytes] = deque(maxlen=LINES)
        self._before: int | None = None
        self._written = True

    def add(self, record: logging.LogRecord) -> None:
        """Add what a record says; the caller lets only one thread do so at a time."""
        at, level, logger = int(record.created * 1000), record.levelname.lower(), record.name
        for text in _say(record)[:LONGEST_RECORD].splitlines():
            self._count += 1
            self._new.append(Line(self._count, at, level, logger, self._attempt, text[:LONGEST_LINE]))

    def write(self, keep: timedelta, *, last: bool = False) -> None:
        """Write the newest lines, to be kept for so long; where Redis does not take them they wait for the next time.

        Without anything new nothing is sent, but for the `last` time, which sets how long the log is kept.
        """
        with suppress(RedisError):
            if self._before is None:
                self._read_before()
            if self._take_new() or not self._written:
                self._written = False
                store().set(self._key, b"\n".join(self._kept), px=keep)
                self._written = True
            elif last:
                store().pexpire(self._key, keep)

    def _read_before(self) -> None:
        """Go on after the lines of the runs before."""
        stored: Any = store().getrange(self._key, -BYTES, -1)
        before = stored.split(b"\n")
        self._kept.extend(filter(None, before))
        self._before = parse_line(before[-1]).number

    def _take_new(self) -> bool:
        """Move what was added to what is kept, and return whether there was anything."""
        new = [self._new.popleft() for _ in range(len(self._new))]
        for line in new:
            shown = line._replace(number=line.number + (self._before or 0), text=mask_text(line.text))
            self._kept.append(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))
        size = sum(map(len, self._kept)) + len(self._kept)
        while size > BYTES:
            size -= len(self._kept.popleft()) + 1
        return bool(new)


def parse_line(written: bytes) -> Line:
    """Return a line as it was written; a line of nothing for whatever else lies there."""
    try:
        number, at, level, logger, attempt, text = json.loads(written)
        return Line(int(number), int(at), str(level), str(logger), int(attempt), str(text))
    except (ValueError, TypeError, OverflowError, RecursionError):
        return Line(0, 0, "", "", 0, "")


def _say(record: logging.LogRecord) -> str:
    """Return what a record says: message and traceback, or structlog's event with what belongs to it."""
    if not isinstance(record.msg, dict):
        return _plain.format(record)
    event: Any = format_exc_info(None, "", dict(record.msg))
    facts = mask({key: value for key, value in event.items() if key not in META | BOUND})
    said = " ".join([str(event.get("event", "")), *(f"{key}={value}" for key, value in facts.items())])
    return "\n".join([said, *(str(event[key]) for key in ("exception", "stack") if key in event)])
