"""The newest events of all jobs and locks."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from jobs import keys
from jobs.reads.fields import from_ms, line, span_ms
from jobs.reads.trips import Answer, Trip


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, to which job or, where `name` is empty, to which resource; `took` for a job that finished."""

    id: str
    at: datetime | None
    what: str
    name: str
    job_id: str
    queue: str
    text: str
    took: timedelta | None


def ask_events(trip: Trip, count: int) -> Answer:
    """Ask for the newest events."""
    return trip.ask("xrevrange", keys.EVENTS, "+", "-", count=count)


def build_events(answer: Answer) -> tuple[Event, ...]:
    """Return the events, newest first."""
    return tuple(_build_event(line(entry), fields or {}) for entry, fields in answer.value or ())


def _build_event(entry: str, fields: dict[bytes, bytes]) -> Event:
    what, text = line(fields.get(b"what"), 30), line(fields.get(b"text"))
    finished = what == "finished"
    return Event(
        id=entry,
        at=from_ms(entry.partition("-")[0]),
        what=what,
        name=line(fields.get(b"name")),
        job_id=line(fields.get(b"job")),
        queue=line(fields.get(b"queue")),
        text="" if finished else text,
        took=span_ms(text) if finished else None,
    )
