"""The workers that RQ knows of."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from jobs import keys
from jobs.names import exact, written
from jobs.reads import heartbeats, shared
from jobs.reads.fields import from_ms, line, moment, number, optional_number, span_ms
from jobs.reads.trips import Answer, Trip

MOST = 1000
MOST_QUEUES = 200
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


class WorkersQuestion:
    """The questions about all workers, asked on two trips; on none where this page knows them already."""

    def __init__(self) -> None:
        self._rows: list[WorkerRow] | None = shared.recall("workers")

    def ask_names(self, trip: Trip) -> None:
        """Ask for the keys of all workers."""
        if self._rows is None:
            self._names = ask_names(trip)

    def ask_records(self, trip: Trip) -> None:
        """Ask for the record of each."""
        if self._rows is None:
            self._records = [(name, ask_worker(trip, name)) for name in self.names]

    @property
    def names(self) -> list[str]:
        """The first MOST names in order, once they were asked for."""
        return names(self._names) if self._rows is None else [row.name for row in self._rows]

    def answer(self, now: datetime) -> list[WorkerRow]:
        """Return the workers by name, the first MOST of them, once both trips are made."""
        if self._rows is None:
            self._rows = [build_worker(name, answer, now) for name, answer in self._records]
            shared.remember(self._rows, "workers")
        return self._rows


def ask_names(trip: Trip) -> Answer:
    """Ask for the keys of all workers."""
    return trip.ask("smembers", keys.WORKERS)


def names(answer: Answer) -> list[str]:
    """Return the workers' names in order, the first MOST of them."""
    prefix = keys.worker().encode()
    return sorted(written(key.removeprefix(prefix)) for key in answer.value or ())[:MOST]


def ask_worker(trip: Trip, name: str) -> Answer:
    """Ask for one worker's record."""
    return trip.ask("hmget", keys.worker(exact(name)), *FIELDS)


def build_worker(name: str, answer: Answer, now: datetime) -> WorkerRow:
    """Return the row of the worker `name`, also when its record has ended."""
    values: dict[str, Any] = dict(zip(FIELDS, answer.value or [None] * len(FIELDS), strict=True))
    state = line(values["state"], 20)
    heartbeat = moment(values["last_heartbeat"])
    visibility = span_ms(values["m_visibility"])
    verdict = heartbeats.judge_heartbeat(heartbeat, now=now, visibility=visibility, busy=state == "busy")
    return WorkerRow(
        name=name,
        host=line(values["hostname"], 80),
        pid=optional_number(values["pid"]),
        queues=_queues(values["queues"] or b""),
        state=state,
        verdict=heartbeats.GONE if values["death"] else verdict,
        heartbeat=heartbeat,
        born=moment(values["birth"]),
        memory=optional_number(values["m_memory"]),
        version=line(values["m_version"], 20),
        rq_version=line(values["version"], 20),
        finished=number(values["successful_job_count"]),
        failed=number(values["failed_job_count"]),
        stopping=from_ms(values["m_stopping"]) or moment(values["shutdown_requested_date"]),
        stopper=line(values["m_stopper"]),
    )


def _queues(listed: bytes) -> tuple[str, ...]:
    """Return the names that RQ joined with commas, the first MOST_QUEUES of them."""
    return tuple(written(name) for name in listed.split(b",", MOST_QUEUES)[:MOST_QUEUES] if name)
