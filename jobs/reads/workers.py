"""The workers with what they run right now, and who does the upkeep."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from jobs import keys
from jobs.reads import worker_rows
from jobs.reads.fields import from_ms, from_seconds, line, server_time, span_ms, span_seconds
from jobs.reads.job_payloads import read_description
from jobs.reads.job_rows import ADDRESSABLE
from jobs.reads.trips import Answer, Trip
from jobs.reads.worker_rows import WorkerRow

EXECUTIONS = 4


@dataclass(frozen=True, slots=True)
class CurrentJob:
    """A job that a worker runs: since when, for how long at the most, and whether it is past its `slow_after`."""

    id: str
    name: str
    since: datetime | None
    timeout: timedelta | None
    long_running: bool

    @property
    def addressable(self) -> bool:
        return bool(ADDRESSABLE.fullmatch(self.id))


@dataclass(frozen=True, slots=True)
class BusyWorker:
    """A worker with its jobs; `odd` where its version is not the one that most of the workers have."""

    worker: WorkerRow
    jobs: tuple[CurrentJob, ...]
    odd: bool


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Who does the periodic work, when it last ran, and whether it moves due jobs. `leads`: somebody is in office."""

    leader: str
    at: datetime | None
    moves: bool
    leads: bool


@dataclass(frozen=True, slots=True)
class WorkerList:
    """All workers, those that went silent last, and the upkeep."""

    workers: tuple[BusyWorker, ...]
    upkeep: Upkeep
    total: int

    @property
    def silent(self) -> int:
        return sum(row.worker.gone for row in self.workers)

    @property
    def busy(self) -> int:
        return sum(bool(row.jobs) for row in self.workers)


def list_workers() -> WorkerList:
    """Return the workers that RQ knows of, in three round trips.

    Raises a member of `jobs.connection.StoreAway`.
    """
    start = Trip()
    clock, known, total = start.ask("time"), worker_rows.ask_names(start), start.ask("scard", keys.WORKERS)
    leader, upkeep = start.ask("get", keys.LEADER), start.ask("hmget", keys.UPKEEP, "leader", "at", "moves")
    start.go()

    now, names = server_time(clock.value), worker_rows.names(known)
    second = Trip()
    records = [worker_rows.ask_worker(second, name) for name in names]
    executions = [second.ask("srandmember", keys.worker_executions(name), EXECUTIONS) for name in names]
    second.go()

    third = Trip()
    running = [[_ask_job(third, line(composite)) for composite in sorted(each.value or ())] for each in executions]
    third.go()

    rows = [worker_rows.build_worker(name, record, now) for name, record in zip(names, records, strict=True)]
    usual = _usual_version(rows)
    workers = [
        BusyWorker(row, tuple(_build_job(*each, now) for each in jobs), odd=bool(row.version) and row.version != usual)
        for row, jobs in zip(rows, running, strict=True)
    ]
    return WorkerList(
        workers=tuple(sorted(workers, key=lambda each: (each.worker.gone, each.worker.name))),
        upkeep=_build_upkeep(leader, upkeep),
        total=total.value or 0,
    )


def _ask_job(trip: Trip, composite: str) -> tuple[str, Answer, Answer]:
    job_id = composite.partition(":")[0]
    execution = trip.ask("hmget", keys.execution(composite), "created_at")
    return job_id, execution, trip.ask("hmget", keys.job(job_id), "m_name", "description", "timeout", "m_slow")


def _build_job(job_id: str, execution: Answer, job: Answer, now: datetime) -> CurrentJob:
    name, description, timeout, slow = job.value or (None,) * 4
    since, slow_after = from_seconds((execution.value or (None,))[0]), span_ms(slow)
    return CurrentJob(
        id=job_id,
        name=line(name) or read_description(line(description))[0],
        since=since,
        timeout=span_seconds(timeout),
        long_running=bool(since and slow_after and now - since > slow_after),
    )


def _usual_version(rows: list[WorkerRow]) -> str:
    versions = Counter(row.version for row in rows if row.version and not row.gone)
    return versions.most_common(1)[0][0] if versions else ""


def _build_upkeep(leader: Answer, upkeep: Answer) -> Upkeep:
    last, at, moves = upkeep.value or (None, None, None)
    return Upkeep(
        leader=(line(leader.value) or line(last)).removeprefix(f"{keys.OURS}:"),
        at=from_ms(at),
        moves=line(moves) == "1",
        leads=leader.value is not None,
    )
