"""When a failed attempt runs again: by itself after base · 2^(k-1), or by a person's hand."""

import json
import os
import random
from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from jobs import keys, scripts
from jobs.claims import Claim
from jobs.conf import conf
from jobs.connection import store
from jobs.logs import log
from jobs.seen import NotDone, SeenJob

NOW = timedelta(0)
LARGEST_EXPONENT = 40


class NotRetried(NotDone):
    """Nothing was retried; the message says why, for people."""


REASONS = {
    0: _("This job is no dead letter any more: somebody retried it, or it runs already. Nothing was changed."),
    -1: _("This job changed since the page was drawn. Look at its newest error before you retry it."),
    -2: _("The record of this job is gone, so it cannot be retried."),
}


def delay_before_retry(claim: Claim) -> timedelta:
    """Return how long to wait before the next attempt: base, 2·base, 4·base …, at most the cap, jitter if set.

    A job of a plain RQ client keeps RQ's own intervals (the first value is used first and most), or waits not at all.
    """
    if "m_retries" in claim.record:
        delay = delay_after(claim.number("m_failures"))
        return delay * random.random() if conf().RETRY_JITTER else delay  # noqa: S311  spreads load, hides nothing
    intervals = _rq_intervals(claim)
    left = claim.number("m_left")
    return timedelta(seconds=intervals[max(len(intervals) - left, 0)]) if intervals and left else NOW


def delay_after(retries: int) -> timedelta:
    """Return how long to wait after a failure that so many retries came before: base · 2^retries, at most the cap."""
    return min(conf().RETRY_CAP, conf().RETRY_BASE * int(2 ** min(retries, LARGEST_EXPONENT)))


def retry_job(job: SeenJob, *, by: str) -> None:
    """Put a dead letter back on its queue with all its attempts before it; `by` is who does.

    One atomic compare and move, so a double click or two people never give a second run, and a job that died again
    since it was seen is left alone. Raises NotRetried.
    """
    call = retry_call(job, by=by)
    answer = scripts.run(store(), call.name, call.keys, call.args)
    if answer != 1:
        raise NotRetried(REASONS[answer])
    log.info("retried by hand", job_id=job.job_id, by=by)


def retry_call(job: SeenJob, *, by: str) -> scripts.Call:
    """Return the script that retries a dead letter, for a round trip with others."""
    of_job = [key(job.job_id) for key in (keys.job, keys.timeline, keys.attempts, keys.results)]
    arguments = [job.job_id, by, job.token, os.urandom(8).hex()]
    return scripts.Call("job_retry", [*of_job, keys.QUEUES, keys.EVENTS], arguments)


def _rq_intervals(claim: Claim) -> list[float]:
    try:
        intervals = json.loads(claim.text("retry_intervals") or "[]")
    except ValueError:
        return []
    return [float(interval) for interval in intervals] if isinstance(intervals, list) else []
