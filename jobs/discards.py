"""Discard jobs into a bin that keeps them for a day, and restore them from it."""

import os
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext_lazy as _

from jobs import keys, scripts
from jobs.conf import conf
from jobs.connection import store
from jobs.logs import log
from jobs.seen import NotDone, SeenJob

MILLISECOND = timedelta(milliseconds=1)
DISCARDED = 1
REASONS = {
    0: _("This job is in the bin already."),
    -1: _("This job changed since the page was drawn. Nothing was discarded."),
    -2: _("This job is in flight. Stop it first, or let it end; then it can be discarded."),
    -3: _("Nothing of this job is left, so there is nothing to discard."),
    -4: _("This job has a place under one of RQ's rate limits. Cancel it with RQ, which keeps the account."),
}
NOT_IN_BIN = _("This job is not in the bin. Somebody restored it, or its time there has ended.")


class NotDiscarded(NotDone):
    """Nothing was discarded; the message says why, for people."""


class NotRestored(NotDone):
    """Nothing was restored; the message says why, for people."""


def discard_job(job: SeenJob, *, by: str) -> int:
    """Put a job that is not in flight into the bin for `MANDOR["BIN_TTL"]`; `by` is who does.

    Nothing runs it any more, and its record ends with its time in the bin. Jobs that depend on it go on waiting, as
    after RQ's own `cancel`; returns how many they are. Raises NotDiscarded.
    """
    answer, dependents = _run(discard_call(job, by=by))
    if answer != DISCARDED:
        raise NotDiscarded(REASONS[answer])
    log.info("discarded", job_id=job.job_id, by=by)
    return int(dependents)


def restore_job(job: SeenJob, *, by: str) -> None:
    """Put a discarded job back to where it was: on its queue between its old neighbours, or into its registry.

    Raises NotRestored.
    """
    if not _run(restore_call(job, by=by)):
        raise NotRestored(NOT_IN_BIN)
    log.info("restored", job_id=job.job_id, by=by)


def discard_call(job: SeenJob, *, by: str) -> scripts.Call:
    """Return the script that discards a job, for a round trip with others."""
    settings = conf()
    arguments = [job.job_id, by, job.token, os.urandom(8).hex(), settings.BIN_TTL // MILLISECOND, settings.BIN_SIZE]
    return scripts.Call("job_discard", _keys(job), arguments)


def restore_call(job: SeenJob, *, by: str) -> scripts.Call:
    """Return the script that restores a job, for a round trip with others."""
    return scripts.Call("job_restore", _keys(job), [job.job_id, by, os.urandom(8).hex()])


def _keys(job: SeenJob) -> list[str]:
    """Return the keys in the order of the piece `_bin`."""
    of_job = (keys.job, keys.results, keys.timeline, keys.attempts, keys.dependents, keys.dependencies, keys.binned)
    of_queue = (keys.queue, keys.wake, keys.started, keys.scheduled, keys.parked, keys.failed)
    at_the_end = (keys.finished, keys.deferred, keys.canceled)
    return [
        *(key(job.job_id) for key in of_job),
        keys.bin_of(job.queue),
        keys.EVENTS,
        *(key(job.queue) for key in (*of_queue, *at_the_end)),
    ]


def _run(call: scripts.Call) -> Any:
    return scripts.run(store(), call.name, call.keys, call.args)
