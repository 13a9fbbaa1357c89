"""One round of the upkeep: jobs that are due go to their queues, and lapsed claims are taken back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from redis import Redis
from rq.job import Job
from rq.registry import ScheduledJobRegistry

from jobs import keys, reclaims, scripts
from jobs.conf import conf
from jobs.logs import log
from jobs.queue import Queue

MOST_JOBS = 200
"""So many are moved in about 1.5 ms, in which the server does nothing else: `benchmarks/due.py`."""
MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Round:
    """What a round did and saw.

    How many jobs it moved, how long until the next one is due, None while none is known, and whether records of jobs
    wait to be removed whose queue was emptied.
    """

    moved: int
    next_due: timedelta | None
    finds_emptied: bool

    @property
    def is_full(self) -> bool:
        """Whether there may be more to move, which this round left for the next."""
        return self.moved >= MOST_JOBS


def go_round(
    client: Redis, queues: Sequence[str], *, candidate: str, term: timedelta, after: scripts.Rest | None = None
) -> Round | None:
    """Stand for election and, if elected, move what is due and take back lapsed claims; None while another leads.

    It does so `after` a rest in the server, if one is given. At most 200 jobs are moved, those of the first queues
    first. Only the holder of RQ's own scheduler lock moves scheduled jobs: where a foreign scheduler works this stands
    back.
    """
    answer = scripts.run(
        client,
        "upkeep_round",
        [keys.LEADER, keys.EMPTYINGS],
        [candidate, term // MILLISECOND, MOST_JOBS, conf().MAX_CRASHES, *queues],
        after=after,
    )
    if answer is None:
        return None
    moved, wait_ms, emptied, limited, swept, errors = answer
    reclaims.log_reclaimed([reclaims.read_reclaimed(row) for row in swept])
    for queue, error in errors:
        log.error("queue left out", queue=queue.decode(errors="replace"), error=error.decode(errors="replace"))
    for job_id, queue in limited:
        _move_limited(client, queue.decode(), job_id.decode())
    return Round(moved, None if wait_ms < 0 else wait_ms * MILLISECOND, bool(emptied))


def _move_limited(client: Redis, name: str, job_id: str) -> None:
    """Move a job with a rate limit as RQ's scheduler does, whose accounts only its own code keeps."""
    queue = Queue(name, connection=client)
    registry = ScheduledJobRegistry(name, connection=client)  # type: ignore[no-untyped-call]
    job = Job.fetch(job_id, connection=client, serializer=queue.serializer)
    at_front = job.should_enqueue_at_front()
    with client.pipeline() as pipeline:
        registry.remove(job_id, pipeline=pipeline)
        queue._enqueue_rate_limited_job(job, pipeline=pipeline, at_front=at_front)  # noqa: SLF001  as RQ's scheduler does
        pipeline.execute()
