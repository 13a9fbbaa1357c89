"""What RQ's cron schedulers write down of their jobs: JSON, with the arguments in it as JSON once more.

Nothing is unpickled or imported, and a record may be of any size and shape.
"""

import json
from dataclasses import dataclass
from typing import Any

from rq.utils import NOT_JSON_SERIALIZABLE

from jobs import keys
from jobs.masking import mask
from jobs.names import exact, written
from jobs.reads.fields import ENTRY, line, number
from jobs.reads.trips import Answer, Trip

MOST = 100
FIELD = "cron_jobs"


@dataclass(frozen=True, slots=True)
class CronCall:
    """What a cron job calls, exactly as it is recorded."""

    function: str
    positional: list[Any]
    keyword: dict[str, Any]

    @property
    def shown(self) -> str:
        """The arguments as short masked text."""
        masked = [repr(each) for each in mask(self.positional)]
        return line(", ".join([*masked, *(f"{name}={value!r}" for name, value in mask(self.keyword).items())]), MOST)


def ask_length(trip: Trip, scheduler: str) -> Answer:
    """Ask how long a scheduler's record is, before it is asked for."""
    return trip.ask("hstrlen", keys.cron_scheduler(exact(scheduler)), FIELD)


def ask_record(trip: Trip, scheduler: str, length: Answer) -> Answer | None:
    """Ask for a scheduler's record; None where it is too long."""
    return trip.ask("hget", keys.cron_scheduler(exact(scheduler)), FIELD) if number(length.value) <= ENTRY else None


def read_entries(answer: Answer) -> list[dict[str, Any]] | None:
    """Return the entries of a record, MOST at most; None where it is no list of objects."""
    try:
        entries = json.loads(answer.value or b"")
    except (ValueError, RecursionError):
        return None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return None
    return entries[:MOST]


def read_text(entry: dict[str, Any], field: str) -> str:
    """Return a field that should be text; empty where it is none."""
    value = entry.get(field)
    return value if isinstance(value, str) and value.isprintable() else ""


def read_name(entry: dict[str, Any]) -> str:
    """Return the cron job's name, which is its function's unless it was given one."""
    name = entry.get("name") or entry.get("func_name")
    return written(name.encode("utf-8", "replace")) if isinstance(name, str) else ""


def read_call(entry: dict[str, Any]) -> CronCall | None:
    """Return what the cron job calls; None where its arguments are no JSON."""
    positional, keyword = _decode(entry.get("args"), []), _decode(entry.get("kwargs"), {})
    if not isinstance(positional, list) or not isinstance(keyword, dict):
        return None
    return CronCall(read_text(entry, "func_name"), positional, keyword)


def find_call(scheduler: str, place: int, name: str) -> CronCall | None:
    """Return what the cron job `name` calls, from its place in a scheduler's record, in two round trips.

    None where another stands there now, or where it cannot be read.
    """
    first, second = Trip(), Trip()
    length = ask_length(first, scheduler)
    first.go()
    record = ask_record(second, scheduler, length)
    second.go()
    entries = (read_entries(record) if record else None) or []
    entry = entries[place] if place < len(entries) else {}
    return read_call(entry) if entry and read_name(entry) == name else None


def _decode(value: Any, empty: Any) -> Any:
    if not value:
        return empty
    if not isinstance(value, str) or value == NOT_JSON_SERIALIZABLE:
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None
