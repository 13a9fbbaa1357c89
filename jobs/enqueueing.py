"""Put calls on their queues: small JSON payloads, in one step, on commit when inside a transaction."""

import json
import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from django.db import transaction

from jobs import keys, scripts
from jobs.conf import conf
from jobs.connection import store
from jobs.logs import log
from jobs.masking import mask
from jobs.retries import delay_after

if TYPE_CHECKING:
    from jobs.registry import CoordinatedJob

DESCRIPTION_LENGTH = 120
NOW = timedelta(0)
MILLISECOND = timedelta(milliseconds=1)

_endpoint: ContextVar[str] = ContextVar("mandor_endpoint", default="")


Once = Literal["", "queued", "keep-latest", "refresh"]
"""When another job stands for a call: never; while it waits; the same, and it takes over the newest arguments; while it
waits or is at the entry, and for a moment after it died."""


@dataclass(frozen=True, slots=True)
class Enqueued:
    """The answer to an enqueue: the id of the job that stands for the call, and its status.

    That is `queued`, or `scheduled` while it waits for a delay, a retry or a lock; that of a job which another call
    enqueued can also be `started`, or `failed` with the `error` that it died of a moment ago.
    """

    job_id: str
    status: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that is ready to be pushed."""

    job: "CoordinatedJob[..., Any]"
    job_id: str
    arguments: dict[str, Any]
    fields: dict[str, Any]
    delay: timedelta
    once: Once


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
    once: Once | None = None,
    job_id: str = "",
    edited_from: str = "",
) -> Enqueued:
    """Enqueue a call whose arguments are checked already; `once` is the job's own `unique` unless given.

    A `job_id` that the caller made beforehand makes it once, however often it is sent; `edited_from` is the job whose
    arguments were edited to make it.

    Inside a transaction it is pushed on commit, and only then decided whether another job stands for it. A refresh that
    a reader asks for changes no data and waits for no commit.
    """
    once = job.coordination.unique if once is None else once
    fields = _fields(job, arguments, once) | ({"m_edited_from": edited_from} if edited_from else {})
    call = _Call(job, job_id or uuid4().hex, arguments, fields, delay, once)
    if once == "refresh" or not transaction.get_connection().in_atomic_block:
        return _push(call)
    transaction.on_commit(lambda: _push(call))
    return Enqueued(call.job_id, "scheduled" if delay > NOW else "queued")


def _push(call: _Call) -> Enqueued:
    job, entry = call.job, call.fields.get("m_cache", "")
    answer = scripts.run(
        store(),
        "job_enqueue",
        [
            keys.job(call.job_id),
            keys.QUEUES,
            keys.queue(job.queue),
            keys.wake(job.queue),
            keys.scheduled(job.queue),
            keys.counts(job.queue),
            keys.unique(job.unique_key(call.arguments) if call.once else ""),
            keys.refreshing(entry),
        ],
        [
            call.job_id,
            job.queue,
            call.delay // MILLISECOND,
            call.once,
            delay_after(job.coordination.retries) // MILLISECOND,
            *(part for pair in call.fields.items() for part in pair),
        ],
    )
    enqueued = Enqueued(*(part.decode(errors="replace") for part in answer))
    _log(call, enqueued)
    return enqueued


def _log(call: _Call, enqueued: Enqueued) -> None:
    new = enqueued.job_id == call.job_id
    if not new and call.once == "refresh":
        return
    log.info(
        "enqueued" if new else "another job stands for the call",
        job_id=enqueued.job_id,
        job=call.job.name,
        queue=call.job.queue,
        resource=call.fields.get("m_resource", ""),
        endpoint=call.fields.get("m_from", ""),
        arguments=mask(call.arguments),
    )


def _fields(job: "CoordinatedJob[..., Any]", arguments: dict[str, Any], once: Once) -> dict[str, Any]:
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
        "m_slow": limits.slow_after // MILLISECOND,
    }
    optional = {
        "m_resource": job.resource(arguments),
        "m_cache": job.cache_key(arguments),
        "m_from": _endpoint.get(),
        "m_latest": job.unique_key(arguments) if once in {"keep-latest", "refresh"} else "",
    }
    return fields | {name: value for name, value in optional.items() if value}
