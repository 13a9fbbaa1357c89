"""Move jobs that are due onto their queues: retries, scheduled ones, and parked ones at their fallback time."""

from redis import Redis
from rq.job import Job
from rq.registry import ScheduledJobRegistry

from jobs import keys, scripts
from jobs.queue import Queue

BATCH = 200
IDLE_S = 0.5


def move_due(client: Redis, queue: str, *, mover: str) -> float:
    """Move what is due on one queue, at most 200 jobs; returns in how many seconds to look again.

    Only the holder of RQ's own scheduler lock moves scheduled jobs: where a foreign scheduler works this stands back.
    """
    moved, wait_ms, _, limited = scripts.run(
        client,
        "jobs_due",
        [keys.scheduled(queue), keys.parked(queue), keys.queue(queue), keys.wake(queue), keys.scheduler_lock(queue)],
        [mover, BATCH, queue],
    )
    for job_id in limited:
        _move_limited(client, queue, job_id.decode())
    if moved >= BATCH:
        return 0.0
    return IDLE_S if wait_ms < 0 else wait_ms / 1000


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
