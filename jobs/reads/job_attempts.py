"""Each attempt of a job and what came of it: from our own record, or from RQ's results where there is none."""

import base64
import binascii
import json
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from jobs.reads.fields import TEXT, from_ms, from_seconds, line, number, optional_number, records, text
from jobs.reads.json_text import show

ENOUGH = 400_000
RQ_OUTCOMES = {1: "finished", 2: "failed", 3: "stopped", 4: "failed", 5: "failed"}
SUCCESSFUL = 1


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run: which, by whom, from when to when, and how it ended."""

    number: int | None
    worker: str
    started: datetime | None
    ended: datetime | None
    outcome: str
    error: str
    traceback: str

    @property
    def took(self) -> timedelta | None:
        return max(self.ended - self.started, timedelta(0)) if self.started and self.ended else None


def read_attempts(entries: Any) -> tuple[Attempt, ...]:
    """Return the attempts that Mandor recorded, newest first."""
    return tuple(
        Attempt(
            number=optional_number(entry.get("number")),
            worker=line(entry.get("worker")),
            started=from_ms(entry.get("started")),
            ended=from_ms(entry.get("ended")),
            outcome=line(entry.get("outcome"), 20) or "unreadable",
            error=line(entry.get("error")),
            traceback=text(entry.get("traceback")),
        )
        for entry in records(entries)
    )


def read_results(stream: Any) -> tuple[Attempt, ...]:
    """Return the attempts that RQ's results tell of, newest first; RQ keeps none for those that it retried."""
    return tuple(_attempt(identity, fields) for identity, fields in stream or ())


def read_return_value(stream: Any) -> tuple[str, str]:
    """Return what the job returned as masked text, and a sentence where it returned something that is not shown."""
    succeeded = (fields for _, fields in stream or () if number(fields.get(b"type")) == SUCCESSFUL)
    encoded = next(succeeded, {b"return_value": b""}).get(b"return_value")
    if not encoded or len(encoded) > ENOUGH:
        return "", _("What it returned is too long to show") if encoded else ""
    try:
        return show(json.loads(base64.b64decode(encoded))), ""
    except (binascii.Error, ValueError, RecursionError):
        return "", _("What it returned is not JSON and was not opened")


def _attempt(identity: Any, fields: dict[bytes, bytes]) -> Attempt:
    traceback = _traceback(fields.get(b"exc_string"))
    return Attempt(
        number=None,
        worker=line(fields.get(b"worker_name")),
        started=from_seconds(fields.get(b"execution_started_at")),
        ended=from_seconds(fields.get(b"execution_ended_at")) or from_ms(line(identity).partition("-")[0]),
        outcome=RQ_OUTCOMES.get(number(fields.get(b"type")), "unknown"),
        error=line(traceback.strip().rpartition("\n")[2]),
        traceback=traceback,
    )


def _traceback(encoded: bytes | None) -> str:
    if not encoded:
        return ""
    try:
        return text(zlib.decompressobj().decompress(base64.b64decode(encoded, validate=True), 4 * TEXT))
    except (binascii.Error, ValueError, zlib.error):
        return _("This traceback cannot be decoded")
