"""Put calls on their queues: small JSON payloads, in one step, on commit when inside a transaction."""

import json
import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from django.db import transaction

from jobs import caching, keys, scripts
from jobs.conf import conf
from jobs.connection import StoreAway, store
from jobs.logs import log
from jobs.masking import mask

if TYPE_CHECKING:
    from jobs.registry import CoordinatedJob

DESCRIPTION_LENGTH = 120
NOW = timedelta(0)

_endpoint: ContextVar[str] = ContextVar("mandor_endpoint", default="")


@dataclass(frozen=True, slots=True)
class Enqueued:
    """The answer to an enqueue: the job's id, and `queued`, or `scheduled` when it has a delay."""

    job_id: str
    status: str


@contextmanager
def enqueued_from(endpoint: str) -> Iterator[None]:
    """Name the endpoint or command, as in `GET /reports/`, for every enqueue inside the block."""
    token = _endpoint.set(endpoint)
    try:
        yield
    finally:
        _endpoint.reset(token)


def enqueue_job(name: str, arguments: dict[str, Any], *, endpoint: str = "") -> Enqueued:
    """Enqueue a call of the registered job `name`.

    Raises UnknownJob and InvalidArguments, and StoreAway when Redis cannot be reached.
    """
    from jobs.registry import find_job  # noqa: PLC0415  the registry's jobs enqueue through this module

    job = find_job(name)
    with enqueued_from(endpoint or _endpoint.get()):
        return enqueue(job, job.bind((), arguments))


def enqueue(
    job: "CoordinatedJob[..., Any]",
    arguments: dict[str, Any],
    *,
    delay: timedelta = NOW,
    once: str = "",
) -> Enqueued:
    """Enqueue a call whose arguments are checked already.

    `once` makes a second call a repetition of the first: `queued` while that waits, `active` while it waits or runs.
    """
    enqueued = Enqueued(uuid4().hex, "scheduled" if delay > NOW else "queued")
    fields = _fields(job, arguments)
    if not transaction.get_connection().in_atomic_block:
        return replace(enqueued, job_id=_push(job, enqueued.job_id, fields, arguments, delay=delay, once=once))
    transaction.on_commit(lambda: _push(job, enqueued.job_id, fields, arguments, delay=delay, once=once))
    return enqueued


def read_through(job: "CoordinatedJob[..., Any]", arguments: dict[str, Any], *, wait: timedelta) -> "caching.Entry":
    """Return the entry of a call, and have one refresh enqueued when it is not fresh; wait for it at most `wait`.

    A miss without a value is what a reader gets while Redis is away, and may answer with `compute()`. Raises TypeError
    when the job has no `cache=`.
    """
    key = job.cache_key(arguments)
    if key is None:
        message = f"{job.name} has no cache= and so nothing to read; enqueue it, or call compute()."
        raise TypeError(message)
    try:
        entry = caching.read(key)
        if entry.state in {caching.State.STALE, caching.State.MISS}:
            enqueue(job, arguments, once="active")
        return entry if entry.has_value or wait <= NOW else caching.wait_for(key, wait=wait)
    except StoreAway as error:
        log.warning("cache not read, Redis is away", key=key, error=str(error))
        return caching.Entry(caching.State.MISS)


def _push(
    job: "CoordinatedJob[..., Any]",
    job_id: str,
    fields: dict[str, Any],
    arguments: dict[str, Any],
    *,
    delay: timedelta,
    once: str,
) -> str:
    flat = [part for pair in fields.items() for part in pair]
    standing = scripts.run(
        store(),
        "job_enqueue",
        [
            keys.job(job_id),
            keys.QUEUES,
            keys.queue(job.queue),
            keys.wake(job.queue),
            keys.scheduled(job.queue),
            keys.counts(job.queue),
            keys.unique(f"{job.name}:{fields.get('m_cache') or fields.get('m_resource') or ''}"),
        ],
        [job_id, job.queue, delay // timedelta(milliseconds=1), once, *flat],
    ).decode()
    if standing == job_id:
        log.info(
            "enqueued",
            job_id=job_id,
            job=job.name,
            queue=job.queue,
            resource=fields.get("m_resource", ""),
            endpoint=fields.get("m_from", ""),
            arguments=mask(arguments),
        )
    return str(standing)


def _fields(job: "CoordinatedJob[..., Any]", arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the job's hash: RQ's fields as RQ writes them, and ours where they say something."""
    limits, settings = job.coordination, conf()
    payload = json.dumps([job.name, None, [], arguments], separators=(",", ":")).encode()
    shown = ", ".join(f"{name}={value!r}" for name, value in mask(arguments).items())
    fields = {
        "data": zlib.compress(payload),
        "description": f"{job.name}({shown})"[:DESCRIPTION_LENGTH],
        "timeout": math.ceil(limits.max_duration.total_seconds()),
        "result_ttl": int(settings.RESULT_TTL.total_seconds()),
        "failure_ttl": int(settings.DEAD_LETTER_TTL.total_seconds()),
        "retries_left": limits.retries,
        "m_name": job.name,
        "m_retries": limits.retries,
        "m_slow": limits.slow_after // timedelta(milliseconds=1),
    }
    optional = {
        "m_resource": job.resource(arguments),
        "m_cache": job.cache_key(arguments),
        "m_from": _endpoint.get(),
    }
    return fields | {name: value for name, value in optional.items() if value}
