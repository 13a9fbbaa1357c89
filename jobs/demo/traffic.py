"""Plays the plan: asks for what is due, and holds back while the workers are behind or Redis is away."""

import time
from collections.abc import Iterable
from datetime import timedelta
from threading import Event

from django.conf import settings

from jobs import keys
from jobs.connection import StoreAway, store
from jobs.demo.plan import Call, Verb
from jobs.enqueueing import enqueued_from
from jobs.logs import log

MOST_WAITING = 40
LATE = timedelta(seconds=3)
PATIENCE_S = 1.0


def play(calls: Iterable[Call], *, ended: Event) -> None:
    """Make each call at its time, until the end. What could not be asked in its time is not asked later."""
    began = time.monotonic()
    for call in calls:
        late = timedelta(seconds=time.monotonic() - began) - call.at
        if ended.wait(max(-late.total_seconds(), 0)):
            return
        if late > LATE:
            continue
        try:
            make_call(call)
        except StoreAway as error:
            log.warning("traffic waits, Redis is away", error=str(error))
            ended.wait(PATIENCE_S)


def make_call(call: Call) -> None:
    """Make one call as a visitor's request would. Nothing is enqueued while too many jobs wait."""
    with enqueued_from(call.endpoint):
        match call.verb:
            case Verb.READ:
                call.job.read(**call.arguments)
            case _ if _count_waiting() > MOST_WAITING:
                log.info("traffic holds back, the workers are behind", endpoint=call.endpoint)
            case Verb.CHANGED:
                call.job.changed(**call.arguments)
            case Verb.LATER:
                call.job.enqueue_in(call.delay, **call.arguments)
            case Verb.ENQUEUE:
                call.job.enqueue(**call.arguments)


def _count_waiting() -> int:
    pipe = store().pipeline(transaction=False)
    for name in settings.RQ_QUEUES:
        pipe.llen(keys.queue(name))
    return sum(pipe.execute())
