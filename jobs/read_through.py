"""Read the entry of a coordinated job, and have one refresh enqueued when it is due."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from jobs import caching
from jobs.connection import StoreAway
from jobs.enqueueing import enqueue
from jobs.logs import log

if TYPE_CHECKING:
    from jobs.registry import CoordinatedJob

NOW = timedelta(0)
DUE = {caching.State.STALE, caching.State.MISS}


def read_through(job: "CoordinatedJob[..., Any]", arguments: dict[str, Any], *, wait: timedelta) -> "caching.Entry":
    """Return the entry of a call, and have one refresh enqueued when it is due; wait for it at most `wait`.

    A refresh that died is left alone for as long as its next retry would have been put off; the entry then says in
    `failed` what it died of. A miss without a value is also what a reader gets while Redis is away, and may answer with
    `compute()`. Raises TypeError when the job has no `cache=`.
    """
    key = job.cache_key(arguments)
    if key is None:
        message = f"{job.name} has no cache= and so nothing to read; enqueue it, or call compute()."
        raise TypeError(message)
    try:
        entry = caching.read(key)
        if entry.state in DUE:
            entry = entry._replace(failed=entry.failed or enqueue(job, arguments, once="refresh").error)
        at_once = entry.has_value or entry.failed or wait <= NOW
        return entry if at_once else caching.wait_for(key, wait=wait)
    except StoreAway as error:
        log.warning("cache not read, Redis is away", key=key, error=str(error))
        return caching.Entry(caching.State.MISS)
