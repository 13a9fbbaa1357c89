"""One job's page: what it is, why it does not run, what happened to it, and each of its attempts."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from jobs import keys
from jobs.names import decoded, exact, written
from jobs.reads import states
from jobs.reads.fields import line, moment, number, server_time
from jobs.reads.job_attempts import Attempt, read_attempts, read_results, read_return_value
from jobs.reads.job_logs import JobLog, ask_log, build_log
from jobs.reads.job_reasons import Reason, find_reason
from jobs.reads.job_records import JobQuestion
from jobs.reads.job_rows import Found, JobRow
from jobs.reads.job_surroundings import SurroundingsQuestion
from jobs.reads.job_timeline import LONGEST, Step, TimelineEntry, read_timeline
from jobs.reads.trips import Answer, Trip

ATTEMPTS = 50
RESULTS = 10
LARGEST_RESULTS = 1_000_000
RAW_FIELDS = (
    "status",
    "origin",
    "created_at",
    "enqueued_at",
    "started_at",
    "ended_at",
    "last_heartbeat",
    "worker_name",
    "timeout",
    "ttl",
    "result_ttl",
    "failure_ttl",
    "retries_left",
    "retry_intervals",
    "number_of_retries",
    "repeats_left",
    "group_id",
    "dependency_id",
    "m_name",
    "m_from",
    "m_resource",
    "m_cache",
    "m_retries",
    "m_failures",
    "m_crashes",
    "m_slow",
    "m_state",
    "m_parked",
    "m_parks",
    "m_woken",
    "m_started",
    "m_left",
    "m_error",
    "m_committed",
    "m_died",
    "m_ended",
    "m_discarded",
    "m_edited_from",
    "m_edited_as",
)


@dataclass(frozen=True, slots=True)
class JobDetail:
    """A job with all that is known of it. `arguments` are not cut to a line, unlike the row's."""

    row: JobRow
    arguments: str
    created: datetime | None
    source: str
    cache: str
    edited_from: str
    edited_as: str
    reason: Reason | None
    timeline: tuple[TimelineEntry, ...]
    attempts: tuple[Attempt, ...]
    log: JobLog
    returned: str
    not_shown: str
    fields: tuple[tuple[str, str], ...]

    @property
    def timeline_is_full(self) -> bool:
        """Whether older steps may have been dropped."""
        return len(self.timeline) >= LONGEST

    @property
    def enqueued(self) -> datetime | None:
        """When it was enqueued first: a job that was parked or retried by hand gets a newer time in its record."""
        first = self.timeline[0] if self.timeline else None
        return first.at if first and first.what == "enqueued" else self.row.enqueued


def find_job(job_id: str) -> JobDetail | None:
    """Return the job with this id, as `names.written` writes it, in three round trips; None where nothing is known.

    Raises a member of `jobs.connection.StoreAway`.
    """
    question = DetailQuestion(job_id)
    for ask in (question.ask_record, question.ask_places, question.ask_payload):
        trip = Trip()
        ask(trip)
        trip.go()
        if not question.known:
            return None
    return question.answer()


class DetailQuestion:
    """The questions about one job, asked on three trips."""

    def __init__(self, job_id: str) -> None:
        self._id = exact(job_id)
        self._job = JobQuestion(Found(self._id, ""))
        self._around = SurroundingsQuestion(self._id)

    def ask_record(self, trip: Trip) -> None:
        self._clock = trip.ask("time")
        self._raw = trip.ask("hmget", keys.job(self._id), *RAW_FIELDS)
        self._executions = trip.ask("zrange", keys.executions(self._id), 0, 0, desc=True)
        self._attempts = trip.ask("lrange", keys.attempts(self._id), 0, ATTEMPTS - 1)
        self._timeline = trip.ask("lrange", keys.timeline(self._id), -LONGEST, -1)
        self._log = ask_log(trip, self._id)
        self._results_size = trip.ask("memory_usage", keys.results(self._id))
        self._around.ask_names(trip)

    def ask_places(self, trip: Trip) -> None:
        execution = line(next(iter(self._executions.value or ()), b""))
        queue = written(self._as_stored["origin"] or b"")
        self._job.found = Found(self._id, queue, execution=execution)
        self._job.ask_fields(trip)
        self._claim = trip.ask("zscore", keys.started(exact(queue)), f"{self._id}:{execution}")
        self._results = self._ask_results(trip)
        self._around.ask_places(trip, queue, decoded(self._as_stored["m_resource"] or b""))

    def ask_payload(self, trip: Trip) -> None:
        self._job.ask_payload(trip)

    @property
    def known(self) -> bool:
        """Whether anything of the job is there; its record may be gone and what happened to it still told."""
        return bool(any(self._raw.value or ()) or self._attempts.value or self._timeline.value)

    def answer(self) -> JobDetail:
        now, raw = server_time(self._clock.value), self._values
        around = self._around.answer(now)
        self._job.found = replace(self._job.found, score=self._claim.value)
        row, payload = self._job.answer(now), self._job.payload()
        created, enqueued = moment(raw["created_at"]), moment(raw["enqueued_at"])
        returned, not_shown = read_return_value(self._results.value) if row.state == states.FINISHED else ("", "")
        return JobDetail(
            row=row,
            arguments=payload.arguments,
            created=created,
            source=raw["m_from"],
            cache=written(self._as_stored["m_cache"] or b""),
            edited_from=raw["m_edited_from"],
            edited_as=raw["m_edited_as"],
            reason=find_reason(row, around, now),
            timeline=read_timeline(
                self._timeline.value,
                created=created,
                enqueued=enqueued,
                source=raw["m_from"],
                running=_running_steps(row) if row.state == states.IN_FLIGHT else [],
            ),
            attempts=read_attempts(self._attempts.value) or read_results(self._results.value),
            log=build_log(self._id, self._log),
            returned=returned,
            not_shown=not_shown,
            fields=tuple((name, value) for name, value in raw.items() if value),
        )

    @property
    def _values(self) -> dict[str, str]:
        return {name: line(value) for name, value in self._as_stored.items()}

    @property
    def _as_stored(self) -> dict[str, Any]:
        return dict(zip(RAW_FIELDS, self._raw.value or [None] * len(RAW_FIELDS), strict=True))

    def _ask_results(self, trip: Trip) -> Answer:
        if number(self._results_size.value) > LARGEST_RESULTS:
            return Answer()
        return trip.ask("xrevrange", keys.results(self._id), count=RESULTS)


def _running_steps(row: JobRow) -> list[Step]:
    """Return the timeline's steps of an attempt that has not ended."""
    taken: Step = (row.started, "taken", {"worker": row.worker, "attempt": row.attempt})
    return [taken, (row.started, "lock acquired", {"resource": row.resource})] if row.resource else [taken]
