"""Enqueue a job anew with edited arguments: the old one stays as it is, and each names the other."""

from typing import Any

from jobs import enqueueing, keys, scripts
from jobs.connection import store
from jobs.enqueueing import Enqueued
from jobs.logs import log
from jobs.registry import CoordinatedJob


def enqueue_edited(
    job: CoordinatedJob[..., Any],
    arguments: dict[str, Any],
    *,
    edited_from: str,
    job_id: str,
    by: str,
) -> Enqueued:
    """Enqueue a call of `job` that was made from the job `edited_from`; `by` is who edited its arguments.

    `job_id` is the new job's id, made beforehand: the same edit sent twice is one job. Raises InvalidArguments.
    """
    checked = job.bind((), arguments)
    enqueued = enqueueing.enqueue(job, checked, once="", job_id=job_id, edited_from=edited_from)
    scripts.run(
        store(),
        "job_edit",
        [keys.job(edited_from), keys.timeline(edited_from), keys.timeline(enqueued.job_id)],
        [edited_from, enqueued.job_id, by],
    )
    log.info("edited", job_id=enqueued.job_id, edited_from=edited_from, by=by)
    return enqueued
