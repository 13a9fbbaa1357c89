"""What a demo job may know of its own attempts, so that some fail first and then go well."""

import structlog

from jobs import keys
from jobs.connection import store


def current_attempt() -> int:
    """Return the number of the attempt that runs here; a worker binds it to the log's context. Outside a worker: 1."""
    return int(structlog.contextvars.get_contextvars().get("attempt", 1))


def retried_by_hand() -> bool:
    """Return whether a person has retried the job that runs here: `job_retry.lua` leaves a mark on its record."""
    job_id = structlog.contextvars.get_contextvars().get("job_id", "")
    return bool(store().hexists(keys.job(job_id), "m_retried"))
