"""The workers with what they run right now, and who does the upkeep."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from jobs import keys
from jobs.names import exact
from jobs.reads import worker_rows
from jobs.reads.fields import from_ms, from_seconds, line, server_time, span_ms, span_seconds
from jobs.reads.job_payloads import read_description
from jobs.reads.job_rows import ADDRESSABLE
from jobs.reads.trips import Answer, Trip
from jobs.reads.worker_beats import BeatsQuestion, WorkerBeat
from jobs.reads.worker_rows import WorkerRow

EXECUTIONS = 4
PAGE = 50


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
    """The workers of one page, those that went silent last, how many there are of which kind, and the upkeep."""

    workers: tuple[BusyWorker, ...]
    upkeep: Upkeep
    total: int
    known: int
    busy: int
    silent: int


def list_workers(*, page: int | None = None) -> WorkerList:
    """Return the workers that RQ knows of, all or fifty a page, in three round trips.

    Raises a member of `jobs.connection.StoreAway`.
    """
    start = Trip()
    clock, total, known = start.ask("time"), start.ask("scard", keys.WORKERS), BeatsQuestion()
    known.ask(start)
    leader, upkeep = start.ask("get", keys.LEADER), start.ask("hmget", keys.UPKEEP, "leader", "at", "moves")
    start.go()

    second, now = Trip(), server_time(clock.value)
    beats = known.answer(now)
    shown = _in_order(beats, page)
    records = [worker_rows.ask_worker(second, beat.name) for beat in shown]
    executions = [second.ask("srandmember", _executions_key(beat.name), EXECUTIONS) for beat in shown]
    second.go()

    third = Trip()
    running = [[_ask_job(third, line(each)) for each in sorted(answer.value or ())] for answer in executions]
    third.go()

    rows = [worker_rows.build_worker(beat.name, record, now) for beat, record in zip(shown, records, strict=True)]
    usual = _usual_version(beats)
    return WorkerList(
        workers=tuple(
            BusyWorker(row, tuple(_build_job(*each, now) for each in jobs), odd=row.version not in ("", usual))
            for row, jobs in zip(rows, running, strict=True)
        ),
        upkeep=_build_upkeep(leader, upkeep),
        total=total.value or 0,
        known=len(beats),
        busy=sum(beat.busy for beat in beats),
        silent=sum(beat.gone for beat in beats),
    )


def _executions_key(name: str) -> str:
    return keys.worker_executions(exact(name))


def _in_order(beats: list[WorkerBeat], page: int | None) -> list[WorkerBeat]:
    ordered = sorted(beats, key=lambda beat: (beat.gone, beat.name))
    return ordered if page is None else ordered[(page - 1) * PAGE : page * PAGE]


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


def _usual_version(beats: list[WorkerBeat]) -> str:
    versions = Counter(beat.version for beat in beats if beat.version and not beat.gone)
    return versions.most_common(1)[0][0] if versions else ""


def _build_upkeep(leader: Answer, upkeep: Answer) -> Upkeep:
    last, at, moves = upkeep.value or (None, None, None)
    return Upkeep(
        leader=(line(leader.value) or line(last)).removeprefix(f"{keys.OURS}:"),
        at=from_ms(at),
        moves=line(moves) == "1",
        leads=leader.value is not None,
    )
