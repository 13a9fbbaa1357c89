"""State for tests, made the way the product makes it: through the real verbs, never by hand-written keys."""

import os
import socket
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.test import TestCase

from jobs import caching, claims, keys, locks, outcomes, rounds
from jobs.claims import Claim, Claimant
from jobs.connection import store
from jobs.enqueueing import enqueue_job
from jobs.seen import SeenJob, seen_token

MINUTE = timedelta(minutes=1)
ECHO = "tests.samples.jobs.echo"
LOCKED = "tests.samples.jobs.locked"
TRACEBACK = 'Traceback (most recent call last):\n  File "mail.py", line 3, in send\nValueError: no such address\n'


def enqueue(name: str = ECHO, count: int = 1, **arguments: Any) -> list[str]:
    """Enqueue `count` calls of a sample job and return their ids, also inside the transaction of a test."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        return [enqueue_job(name, arguments).job_id for _ in range(count)]


def claimant(*queues: str, name: str = "") -> Claimant:
    """Return a worker's identity, as a worker that listens to these queues has it."""
    names, name = queues or ("reports", "mail", "billing"), name or f"worker-{uuid4().hex[:6]}"
    for queue in names:
        store().sadd(keys.queue_workers(queue), keys.worker(name))
    return Claimant(name, socket.gethostname(), os.getpid(), names, MINUTE)


def start(*queues: str, by: Claimant | None = None) -> Claim:
    """Claim the next job and return the claim: it is in flight from now on."""
    claim = claims.claim_next(store(), by or claimant(*queues), claims.Request()).claim
    if claim is None:
        message = (
            "Nothing to claim: enqueue something first, on a queue of this claimant, that is neither paused nor locked."
        )
        raise AssertionError(message)
    return claim


def go_round(*queues: str) -> rounds.Round:
    """Do one round of the upkeep for these queues."""
    done = rounds.go_round(store(), queues, candidate="mandor:test", term=MINUTE)
    if done is None:
        message = "Another leads the upkeep."
        raise AssertionError(message)
    return done


def bury(name: str = ECHO, error: str = "ValueError: no such address", **arguments: Any) -> str:
    """Enqueue a job and let it fail until it is a dead letter; returns its id."""
    (job_id,) = enqueue(name, **arguments)
    while fail_once(start(), error=error) is not outcomes.Outcome.DEAD:
        pass
    return job_id


def finish(claim: Claim, result: bytes | None = b'"done"') -> outcomes.Outcome:
    """End a claim well."""
    return outcomes.finish(store(), claim, result=result, filling=None)


def hold(resource: str, holder: str = "ann", max_duration: timedelta = MINUTE) -> locks.Lease:
    """Take a lock and return its lease."""
    return locks.acquire(resource, holder=holder, lease=MINUTE, max_duration=max_duration)


def park(resource: str = "report:42", report_id: int = 42) -> str:
    """Enqueue a job whose resource is held, and let a worker find that out; returns its id. The lock must be held."""
    (job_id,) = enqueue(LOCKED, report_id=report_id)
    taking = claims.claim_next(store(), claimant("reports"), claims.Request())
    if taking.claim is not None:
        message = f"The job was claimed, so {resource} is not held."
        raise AssertionError(message)
    return job_id


def finish_cached(claim: Claim, value: str) -> str:
    """End a claim whose return value, as JSON, becomes its cache entry; returns the outcome."""
    key = claim.text("m_cache")
    filling = caching.Filling(key, caching.namespace_of(key), value, MINUTE, MINUTE)
    return outcomes.finish(store(), claim, result=value.encode(), filling=filling).value


def fail_once(
    claim: Claim,
    delay: timedelta = timedelta(0),
    error: str = "ValueError: no such address",
) -> outcomes.Outcome:
    """End a claim's attempt as failed, to be retried after `delay` if it has a retry left."""
    return outcomes.fail(store(), claim, error=error, traceback=TRACEBACK, delay=delay)


def see(job_id: str, queue: str = "mail") -> SeenJob:
    """Return a job as a page that is drawn now shows it."""
    fields = store().hmget(keys.job(job_id), "status", "m_state", "m_died", "ended_at")
    return SeenJob(job_id, queue, seen_token(*fields))
