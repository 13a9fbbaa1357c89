"""A worker's claim on a job, from the moment it leaves its queue; `jobs.outcomes` has the moment it ends.

The execution that holds a claim alone may speak for the job. Whoever was superseded gets `Superseded` for an answer
and has changed nothing.
"""

import time
from dataclasses import dataclass, field
from datetime import timedelta
from enum import IntEnum
from typing import Any
from uuid import uuid4

from redis import Redis

from jobs import keys, scripts
from jobs.conf import conf
from jobs.logs import log
from jobs.reclaims import Reclaimed, read_reclaimed
from jobs.scripts import AGAIN, Call

MILLISECOND = timedelta(milliseconds=1)


class Superseded(Exception):
    """The claim lapsed and the job is another's, or was taken away; this execution changed nothing."""


class Renewal(IntEnum):
    """What became of a claim at a heartbeat."""

    RENEWED = 1
    SUPERSEDED = 0
    LEASE_LOST = -1


@dataclass(frozen=True, slots=True)
class Claimant:
    """Who claims: the worker as its record in Redis names it."""

    name: str
    host: str
    pid: int
    queues: tuple[str, ...]
    record_ttl: timedelta


@dataclass(slots=True)
class Claim:
    """A job in flight: RQ's record of it as it was taken, and what this execution may use to speak for it."""

    job_id: str
    queue: str
    execution_id: str
    worker: str
    token: str
    generation: str
    attempt: int
    record: dict[str, bytes] = field(repr=False)
    name: str = ""
    resource: str = ""
    asked_at: float = field(default_factory=time.monotonic, compare=False)
    """When it was asked for, by this process's monotonic clock: it cannot have lapsed a visibility timeout later."""

    @property
    def member(self) -> str:
        """The execution as RQ's started registry names it."""
        return f"{self.job_id}:{self.execution_id}"

    def text(self, name: str) -> str:
        """Return a field of the job's hash as text; empty when it is absent."""
        return self.record.get(name, b"").decode(errors="replace")

    def number(self, name: str, default: int = 0) -> int:
        """Return a field of the job's hash as a number; `default` when it is none."""
        try:
            return int(self.record[name])
        except (KeyError, ValueError):
            return default


@dataclass(frozen=True, slots=True)
class Parked:
    """A job that waits for its resource, which somebody else holds."""

    job_id: str
    queue: str
    resource: str


@dataclass(frozen=True, slots=True)
class Taking:
    """What one look at the queues gave: a claim, if there was something to take, and what was done on the way.

    Not `known`: the claimant's own record was found gone.
    """

    claim: Claim | None
    reclaimed: list[Reclaimed]
    parked: list[Parked]
    known: bool


def new_execution() -> str:
    """Return an id for an execution of ours; its first letter tells it from a stock worker's."""
    return "m" + uuid4().hex[1:]


@dataclass(frozen=True, slots=True)
class Request:
    """A claimant's wish for its next job. The same one sent again, `again`, gets the claim it may have got before.

    With its `memory`, in bytes, it is also the worker's heartbeat, and lapsed claims are taken back on the way. `state`
    is what the worker's record says so far, idle or busy; empty when that is not known.
    """

    execution_id: str = field(default_factory=new_execution)
    memory: int = 0
    state: str = ""
    again: bool = False


def claim_next(client: Redis, claimant: Claimant, request: Request) -> Taking:
    """Take the first runnable job of the claimant's queues, with its lock; jobs whose resource is held are parked."""
    return read_taking(scripts.run_all(client, [claim_call(claimant, request)])[0], claimant, request)


def claim_call(claimant: Claimant, request: Request) -> Call:
    """Return the script call that asks for a claimant's next job."""
    settings = conf()
    per_queue = [
        key
        for name in claimant.queues
        for key in (keys.queue(name), keys.started(name), keys.paused(name), keys.wake(name))
    ]
    own_keys = [keys.SUSPENDED, keys.worker(claimant.name), keys.worker_executions(claimant.name), keys.EVENTS]
    arguments = [
        claimant.name,
        request.execution_id,
        1 if request.again else AGAIN,
        request.memory,
        request.state,
        settings.VISIBILITY_TIMEOUT // MILLISECOND,
        int(claimant.record_ttl.total_seconds()),
        settings.MAX_CRASHES,
        claimant.host,
        claimant.pid,
        *claimant.queues,
    ]
    return Call("job_claim", [*own_keys, *per_queue], arguments)


def read_taking(answer: Any, claimant: Claimant, request: Request) -> Taking:
    """Return what a claim call's answer says. Raises the error that it may be."""
    swept, busy, taken, known = scripts.checked(answer)
    return Taking(
        claim=_claim(taken, request.execution_id, claimant.name) if taken else None,
        reclaimed=[read_reclaimed(row) for row in swept],
        parked=[Parked(*(part.decode(errors="replace") for part in row)) for row in busy],
        known=bool(known),
    )


def log_parked(parked: list[Parked]) -> None:
    """Log the jobs that found their resource held."""
    for row in parked:
        log.info("lock busy", job_id=row.job_id, queue=row.queue, resource=row.resource)


def lock_resource(client: Redis, claim: Claim, claimant: Claimant, *, resource: str, cache: str) -> bool:
    """Lock the resource of a claimed job whose record does not name it. False: the job was parked."""
    arguments = [
        resource,
        cache,
        conf().VISIBILITY_TIMEOUT // MILLISECOND,
        claim.text("timeout"),
        claimant.host,
        claimant.pid,
    ]
    claim.token = speak(client, "job_lock", claim, [], arguments).decode()
    claim.resource = resource
    return bool(claim.token)


def renew(client: Redis, claim: Claim, *, record_ttl: timedelta, memory: int) -> Renewal:
    """Renew the claim and its lease. `memory` is in bytes, of the worker and its horse."""
    arguments = [conf().VISIBILITY_TIMEOUT // MILLISECOND, int(record_ttl.total_seconds()), memory]
    return Renewal(speak(client, "job_renew", claim, [], arguments))


def speak(client: Redis, script: str, claim: Claim, more_keys: list[str], more_args: list[Any]) -> Any:
    """Run a script that speaks for an execution."""
    call = speech(script, claim, more_keys, more_args)
    return scripts.run(client, call.name, call.keys, call.args)


def speech(script: str, claim: Claim, more_keys: list[str], more_args: list[Any]) -> Call:
    """Return the call of a script of the `_flight` family: its first 13 keys and 8 arguments name the execution."""
    flight_keys = [
        keys.job(claim.job_id),
        keys.started(claim.queue),
        keys.execution(claim.member),
        keys.executions(claim.job_id),
        keys.worker(claim.worker),
        keys.worker_executions(claim.worker),
        keys.timeline(claim.job_id),
        keys.attempts(claim.job_id),
        keys.counts(claim.queue),
        keys.EVENTS,
        keys.queue(claim.queue),
        keys.wake(claim.queue),
        keys.results(claim.job_id),
    ]
    flight_args = [
        claim.job_id,
        claim.execution_id,
        claim.queue,
        claim.worker,
        claim.name,
        claim.attempt,
        claim.resource,
        claim.token,
    ]
    return Call(script, flight_keys + more_keys, flight_args + more_args)


def _claim(taken: list[Any], execution_id: str, worker: str) -> Claim:
    job_id, queue, token, generation, attempt, flat = taken
    record = {name.decode(errors="replace"): value for name, value in zip(flat[::2], flat[1::2], strict=True)}
    return Claim(
        job_id=job_id.decode(errors="replace"),
        queue=queue.decode(errors="replace"),
        execution_id=execution_id,
        worker=worker,
        token=token.decode(),
        generation=generation.decode(),
        attempt=int(attempt),
        record=record,
        name=record.get("m_name", b"").decode(errors="replace"),
        resource=record.get("m_resource", b"").decode(errors="replace"),
    )
