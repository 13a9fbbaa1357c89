"""A job's record, read raw and never unpickled, whatever in it is broken or gone.

It takes two trips: the short fields and the length of the payload, then the payload, if it is not too long.
"""

from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext_lazy

from jobs import keys
from jobs.names import exact, written
from jobs.reads import heartbeats, states
from jobs.reads.fields import from_ms, from_seconds, line, moment, number, optional_number, span_ms, span_seconds
from jobs.reads.job_payloads import JobPayload, PayloadQuestion, read_description
from jobs.reads.job_rows import Found, JobRow
from jobs.reads.trips import Answer, Trip
from jobs.seen import SeenJob, seen_token

FIELDS = (
    "status",
    "origin",
    "enqueued_at",
    "started_at",
    "ended_at",
    "last_heartbeat",
    "worker_name",
    "timeout",
    "description",
    "m_name",
    "m_resource",
    "m_retries",
    "m_failures",
    "m_slow",
    "m_error",
    "m_state",
    "m_parked",
    "m_died",
    "m_ended",
    "m_discarded",
)
ARGUMENTS = 100
OURS = "m"
RQ_MARGIN = timedelta(seconds=60)
GONE = gettext_lazy("Its record is gone")


class JobQuestion:
    """The questions about one job's row, asked on two trips; on one where its `payload` is known already."""

    def __init__(self, found: Found, payload: PayloadQuestion | None = None) -> None:
        self.found = found
        self._payload = payload or PayloadQuestion(found.job_id)
        self._execution = Answer()

    def ask_fields(self, trip: Trip) -> None:
        """Ask for the short fields, and how long the payload is."""
        self._fields = trip.ask("hmget", keys.job(self.found.job_id), *FIELDS)
        self._payload.ask_length(trip)
        if self.found.execution:
            composite = f"{self.found.job_id}:{self.found.execution}"
            self._execution = trip.ask(
                "hmget", keys.execution(composite), "last_heartbeat", "created_at", "worker_name"
            )

    def ask_payload(self, trip: Trip) -> None:
        """Ask for the payload, unless it is too long to be shown."""
        self._payload.ask_data(trip)

    @property
    def values(self) -> dict[str, Any]:
        """The short fields, once they were asked for."""
        return dict(zip(FIELDS, self._fields.value or [None] * len(FIELDS), strict=True))

    @property
    def gone(self) -> bool:
        """Whether the job's record is gone, once it was asked for."""
        return not any(self.values.values())

    @property
    def state(self) -> str:
        """The job's state by its record, once it was asked for; without one, by where it was found."""
        status, marker = self.values["status"], self.values["m_state"]
        return self.found.state if status is None else states.job_state(line(status), line(marker))

    @property
    def function(self) -> str:
        """The function's path as far as the short fields tell."""
        return line(self.values["m_name"]) or read_description(line(self.values["description"]))[0]

    def payload(self) -> JobPayload:
        """Return the payload, once both trips are made."""
        return self._payload.answer(name=line(self.values["m_name"]), description=self.values["description"])

    def answer(self, now: datetime) -> JobRow:
        """Return the row, once both trips are made."""
        values, state, payload = self.values, self.state, self.payload()
        beat, born, worker = self._execution.value or (None, None, None)
        started = from_seconds(born) or moment(values["started_at"])
        heartbeat = from_seconds(beat) or moment(values["last_heartbeat"])
        return JobRow(
            id=written(self.found.job_id),
            name=payload.function,
            arguments=line(payload.arguments, ARGUMENTS),
            problem=str(GONE) if self.gone else payload.problem,
            gone=self.gone,
            queue=self.queue,
            state=state,
            parked=line(values["m_state"]) == "parked",
            resource=written(values["m_resource"] or b""),
            attempt=_attempt(state, values),
            attempts=_attempts(values),
            error=line(values["m_error"]),
            worker=line(worker) or line(values["worker_name"]),
            enqueued=moment(values["enqueued_at"]),
            parked_at=from_ms(values["m_parked"]),
            started=started,
            ended=from_ms(values["m_discarded"]) or from_ms(values["m_died"]) or moment(values["ended_at"]),
            due=from_seconds(self.found.score) if state in (states.SCHEDULED, states.RETRYING) else None,
            heartbeat=heartbeat,
            verdict=self._verdict(heartbeat, now),
            timeout=span_seconds(values["timeout"]),
            long_running=_long_running(state, started, span_ms(values["m_slow"]), now),
            ended_by=line(values["m_ended"]),
            execution=self.found.execution,
            seen=str(self.seen),
        )

    @property
    def seen(self) -> SeenJob:
        """What an action on this job is judged against, once the short fields were asked for."""
        values = self.values
        token = seen_token(values["status"], values["m_state"], values["m_died"], values["ended_at"])
        return SeenJob(self.found.job_id, exact(self.found.queue or self.queue), token)

    @property
    def queue(self) -> str:
        """The queue its record names, or else the one where it was found."""
        origin = self.values["origin"]
        return written(origin) if origin else self.found.queue

    def _verdict(self, heartbeat: datetime | None, now: datetime) -> str:
        deadline = from_seconds(self.found.score) if self.found.execution.startswith(OURS) else None
        visibility = deadline - RQ_MARGIN - heartbeat if deadline and heartbeat else None
        return heartbeats.judge_heartbeat(heartbeat, now=now, visibility=visibility, busy=True)


def _attempts(values: dict[str, Any]) -> int | None:
    retries = optional_number(values["m_retries"])
    return None if retries is None else retries + 1


def _attempt(state: str, values: dict[str, Any]) -> int | None:
    """Return which attempt it is at, or was at when it ended. RQ does not count those of a job that is not ours."""
    if values["m_retries"] is None:
        return None
    over = state in (states.DEAD, states.DISCARDED) and line(values["m_ended"]) == "failed"
    return max(1, number(values["m_failures"]) + (0 if over else 1))


def _long_running(state: str, started: datetime | None, slow_after: timedelta | None, now: datetime) -> bool:
    return state == states.IN_FLIGHT and bool(started and slow_after and now - started > slow_after)
