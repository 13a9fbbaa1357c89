"""Empty a queue: what waits on it is gone at once, and its records are removed in short steps."""

import time
from datetime import timedelta
from uuid import uuid4

from django.conf import settings
from redis import Redis

from jobs import keys, scripts
from jobs.connection import store
from jobs.logs import log
from jobs.pauses import LONGEST_PARKED, MOST_SPANS, SPAN, UnknownQueue

STEP = 50
"""Jobs whose records one step removes: well under 5 ms of the server's time."""

PATIENCE = timedelta(seconds=1)
"""For so long a person waits for records to be removed; the rest is the upkeep's."""

MOMENT = timedelta(milliseconds=50)
"""For so long the upkeep may leave its other work."""


def empty_queue(name: str, *, by: str) -> int:
    """Remove all jobs that wait on the queue `name`, parked ones too, and return how many; jobs enqueued later stay.

    No worker can take one any more once this returns. Their records are removed for up to a second, and what is left
    then is the upkeep's. Jobs in flight, scheduled ones and dead letters stay. Raises UnknownQueue.
    """
    client, emptying = store(), uuid4().hex
    waiting, at_ms = scripts.run(
        client,
        "queue_empty",
        [keys.queue(name), keys.emptied(emptying), keys.EMPTYINGS, keys.QUEUES, keys.EVENTS],
        [emptying, name, by, int(name in settings.RQ_QUEUES)],
    )
    if waiting < 0:
        raise UnknownQueue(name)
    parked = sum(_remove_parked(client, registry, at_ms) for registry in (keys.scheduled(name), keys.parked(name)))
    remove_emptied(client)
    log.warning("queue emptied", queue=name, by=by, jobs=waiting + parked)
    return int(waiting + parked)


def remove_emptied(client: Redis, *, within: timedelta = PATIENCE) -> bool:
    """Remove the records of jobs whose queue was emptied, for as long as `within`; returns whether none is left."""
    deadline = time.monotonic() + within.total_seconds()
    for emptying in scripts.ask(client, "HKEYS", keys.EMPTYINGS):
        name = emptying.decode()
        left = 1
        while left:
            if time.monotonic() > deadline:
                return False
            left = scripts.run(client, "emptied_remove", [keys.emptied(name), keys.EMPTYINGS], [name, STEP])
    return True


def _remove_parked(client: Redis, registry: str, at_ms: int) -> int:
    """Remove the jobs parked up to `at_ms`, and return how many; at least the first 10,000 entries are looked at."""
    removed, skip = 0, 0
    for _ in range(MOST_SPANS):
        found, skip = scripts.run(
            client, "parked_remove", [registry], [skip, SPAN, int(LONGEST_PARKED.total_seconds()), at_ms]
        )
        removed += found
        if skip < 0:
            break
    return removed
