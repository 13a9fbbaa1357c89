"""A worker as a table shows it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from jobs import keys
from jobs.names import exact
from jobs.reads import heartbeats
from jobs.reads.fields import from_ms, line, moment, number, optional_number
from jobs.reads.trips import Answer, Trip
from jobs.reads.worker_beats import judge_worker, read_queues

FIELDS = (
    "queues",
    "state",
    "last_heartbeat",
    "birth",
    "death",
    "hostname",
    "pid",
    "version",
    "successful_job_count",
    "failed_job_count",
    "m_version",
    "m_memory",
    "m_visibility",
    "m_stopping",
    "m_stopper",
    "shutdown_requested_date",
)


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """A worker as its own record says, with a verdict on its heartbeat: alive, late or gone.

    `stopping` is since when it is to end after its job, and `stopper` who asked for it, empty where a signal did.
    """

    name: str
    host: str
    pid: int | None
    queues: tuple[str, ...]
    state: str
    verdict: str
    heartbeat: datetime | None
    born: datetime | None
    memory: int | None
    version: str
    rq_version: str
    finished: int
    failed: int
    stopping: datetime | None
    stopper: str

    @property
    def gone(self) -> bool:
        return self.verdict == heartbeats.GONE

    @property
    def can_stop(self) -> bool:
        return not self.gone and self.stopping is None

    @property
    def label(self) -> str:
        return f"{self.host}:{self.pid}" if self.host and self.pid else self.name


def ask_worker(trip: Trip, name: str) -> Answer:
    """Ask for one worker's record."""
    return trip.ask("hmget", keys.worker(exact(name)), *FIELDS)


def build_worker(name: str, answer: Answer, now: datetime) -> WorkerRow:
    """Return the row of the worker `name`, also when its record has ended."""
    values: dict[str, Any] = dict(zip(FIELDS, answer.value or [None] * len(FIELDS), strict=True))
    return WorkerRow(
        name=name,
        host=line(values["hostname"], 80),
        pid=optional_number(values["pid"]),
        queues=read_queues(values["queues"] or b""),
        state=line(values["state"], 20),
        verdict=judge_worker(
            values["state"], values["last_heartbeat"], values["death"], values["m_visibility"], now=now
        ),
        heartbeat=moment(values["last_heartbeat"]),
        born=moment(values["birth"]),
        memory=optional_number(values["m_memory"]),
        version=line(values["m_version"], 20),
        rq_version=line(values["version"], 20),
        finished=number(values["successful_job_count"]),
        failed=number(values["failed_job_count"]),
        stopping=from_ms(values["m_stopping"]) or moment(values["shutdown_requested_date"]),
        stopper=line(values["m_stopper"]),
    )
