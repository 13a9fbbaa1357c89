"""Pause a queue, so that its jobs wait, and resume it."""

from datetime import timedelta

from django.conf import settings

from jobs import keys, scripts
from jobs.connection import store
from jobs.logs import log

LONGEST_PARKED = timedelta(seconds=10)
"""A parked job's fallback time is at most this far ahead."""

SPAN = 200
MOST_SPANS = 50


class UnknownQueue(LookupError):
    """Neither the settings nor RQ know of a queue of this name."""


class AlreadySo(Exception):
    """Nothing was changed: the queue is paused, or runs, already."""


def pause_queue(name: str, *, by: str) -> None:
    """Let no worker take jobs of the queue `name` any more; those in flight go on, and jobs may still be enqueued.

    Raises UnknownQueue, and AlreadySo where somebody else has paused it.
    """
    answer = scripts.run(
        store(),
        "queue_pause",
        [keys.paused(name), keys.QUEUES, keys.EVENTS],
        [name, keys.queue(name), by, int(name in settings.RQ_QUEUES)],
    )
    if answer < 0:
        raise UnknownQueue(name)
    if not answer:
        raise AlreadySo
    log.info("queue paused", queue=name, by=by)


def resume_queue(name: str, *, by: str) -> None:
    """Let workers take jobs of the queue `name` again, at once; parked ones whose resource is free are woken.

    Raises AlreadySo where it is not paused.
    """
    answer = scripts.run(
        store(),
        "queue_resume",
        [keys.paused(name), keys.queue(name), keys.wake(name), keys.EVENTS],
        [name, by, scripts.AGAIN],
    )
    if not answer:
        raise AlreadySo
    for registry in (keys.scheduled(name), keys.parked(name)):
        _wake_parked(registry)
    log.info("queue resumed", queue=name, by=by)


def _wake_parked(registry: str) -> None:
    """Wake the waiters of free resources; those beyond the first 10,000 entries have their fallback time for it."""
    skip = 0
    for _ in range(MOST_SPANS):
        skip = scripts.run(store(), "parked_wake", [registry], [skip, SPAN, int(LONGEST_PARKED.total_seconds())])
        if skip < 0:
            return
