"""Run what is scheduled before its time, by hand and once."""

from datetime import datetime
from typing import Any

from rq.defaults import DEFAULT_CRON_JOB_HISTORY_LIMIT, DEFAULT_CRON_JOB_HISTORY_TTL

from jobs import enqueueing, keys, scripts
from jobs.connection import store
from jobs.logs import log
from jobs.registry import find_job


class NotRun(Exception):
    """Nothing was put on a queue."""


class NotScheduled(NotRun):
    """The job is not scheduled any more: it was run, or its time came."""


class Rescheduled(NotRun):
    """The job was given another time, or the cron job ran, since the person looked."""


class RateLimited(NotRun):
    """The job has a rate limit, and RQ's own code alone keeps the account of it."""


class AboutToRun(NotRun):
    """The job is due, and RQ's own scheduler, which moves it in two steps, is about to."""


REASONS = {0: NotScheduled, -1: Rescheduled, -2: RateLimited, -3: AboutToRun}


def run_scheduled(job_id: str, *, by: str, due: datetime) -> None:
    """Put a scheduled job on its queue now; `due` is when it was to run as the person saw it.

    One atomic compare and move, so a double click or two people never give a second run. Raises a NotRun.
    """
    answer = scripts.run(
        store(),
        "schedule_run",
        [keys.job(job_id), keys.timeline(job_id), keys.QUEUES, keys.EVENTS],
        [job_id, by, round(due.timestamp() * 1000), scripts.AGAIN],
    )
    if answer in REASONS:
        raise REASONS[answer](job_id)
    log.info("run by hand", job_id=job_id, by=by)


def run_cron(name: str, function: str, arguments: dict[str, Any], *, by: str, last: datetime | None) -> str:
    """Enqueue one run of the cron job `name`, whose function is a registered job, and return the job's id.

    `last` is when it last ran as the person saw it; a second click finds that it ran since. Raises Rescheduled, and
    UnknownJob and InvalidArguments as `enqueue_job` does.
    """
    job = find_job(function)
    bound = job.bind((), arguments)
    seen_ms = round(last.timestamp() * 1000) if last else 0
    if not scripts.run(store(), "cron_run", [keys.CRON_JOBS], [name, seen_ms]):
        raise Rescheduled(name)
    with enqueueing.enqueued_from(f"cron job {name}, run by {by}"):
        job_id = enqueueing.enqueue(job, bound, once="").job_id
    _remember(name, job_id)
    return job_id


def _remember(name: str, job_id: str) -> None:
    """Add the job to those that the cron job has made, as RQ's scheduler does."""
    history, client = keys.cron_history(name), store()
    seconds, micro = client.time()
    pipe = client.pipeline(transaction=False)
    pipe.zadd(history, {job_id: seconds + micro / 1_000_000})
    pipe.zremrangebyrank(history, 0, -DEFAULT_CRON_JOB_HISTORY_LIMIT - 1)
    pipe.expire(history, DEFAULT_CRON_JOB_HISTORY_TTL)
    pipe.execute()
