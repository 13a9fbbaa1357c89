"""Lapsed claims: jobs taken back from workers that went silent."""

from dataclasses import dataclass

from redis import Redis

from jobs import scripts
from jobs.conf import conf
from jobs.logs import log


@dataclass(frozen=True, slots=True)
class Reclaimed:
    """A job that was taken back from a worker that went silent."""

    job_id: str
    queue: str
    worker: str
    dead: bool


def reclaim(client: Redis, queues: list[str]) -> list[Reclaimed]:
    """Take back up to five jobs of these queues whose claims have lapsed."""
    swept = scripts.run(client, "jobs_reclaim", [], [conf().MAX_CRASHES, *queues])
    return [read_reclaimed(row) for row in swept]


def log_reclaimed(reclaimed: list[Reclaimed]) -> None:
    """Log the jobs that were taken back from silent workers."""
    for row in reclaimed:
        log.warning("reclaimed", job_id=row.job_id, queue=row.queue, silent_worker=row.worker)
        if row.dead:
            log.error("dead", job_id=row.job_id, queue=row.queue, reason="too many crashes")


def read_reclaimed(row: list[bytes]) -> Reclaimed:
    """Return what a script says of one job it took back."""
    job_id, queue, worker, outcome = (part.decode(errors="replace") for part in row)
    return Reclaimed(job_id, queue, worker, dead=outcome == "dead")
