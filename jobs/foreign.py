"""The features of RQ that the scripts do not cover (dependents, groups, repeats, callbacks, webhooks, rate limits).

Jobs that use them are claimed and locked like all others, and then go through RQ's own code.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from django.utils.functional import SimpleLazyObject
from rq import Worker as RQWorker
from rq.callbacks import execute_failure_callback, execute_stopped_callback
from rq.exceptions import AbandonedJobError
from rq.executions import Execution
from rq.job import Job, JobStatus, Retry, _current_job

from jobs import keys
from jobs.claims import Claim, Superseded
from jobs.guards import TAKEN_OVER, GuardedRedis
from jobs.queue import Queue

if TYPE_CHECKING:
    from jobs.horses.messages import Report
    from jobs.worker import Worker

RQ_FEATURES = (
    "success_callback_name",
    "failure_callback_name",
    "stopped_callback_name",
    "webhooks",
    "group_id",
    "repeats_left",
    "rate_limit_key",
)


def needs_rq(claim: Claim, worker: "Worker") -> bool:
    """Return whether a job uses what only RQ's own code does."""
    return bool(worker.has_exception_handlers or any(claim.record.get(field) for field in RQ_FEATURES))


def run_in_rq(worker: "Worker", claim: Claim, queue: Queue) -> bool:
    """Run a job by RQ's own code, in the horse. False: the execution was superseded and has changed nothing."""
    execution = rq_execution(worker, claim)
    worker.executions = {execution.id: execution}
    try:
        check_holds(worker, claim.queue, execution.composite_key)
        worker.perform_job(rq_job(worker, claim), queue, execution)
    except Superseded:
        return False
    return True


def check_holds(worker: RQWorker, queue_name: str, member: str) -> None:
    """Raise Superseded unless an execution, named as the started registry names it, holds its claim."""
    if worker.connection.zscore(keys.started(queue_name), member) is None:
        raise Superseded(TAKEN_OVER)


@contextmanager
def guarded(worker: RQWorker, execution: Execution) -> Iterator[None]:
    """Let RQ's code end an execution inside the block, if it still holds its claim. Raises Superseded."""
    unguarded = worker.connection
    client = GuardedRedis(unguarded, keys.execution(execution.composite_key))
    worker.connection = client
    try:
        yield
    finally:
        worker.connection = unguarded
    if not client.committed:
        raise Superseded(TAKEN_OVER)


def run_failure_callback(worker: "Worker", claim: Claim, text: str) -> None:
    """Run RQ's `on_failure` in a horse, for an attempt whose own horse was killed: `text` says how."""
    with suppress(Exception):  # logged by RQ; a callback that raises harms nothing
        execute_failure_callback(
            rq_job(worker, claim),
            worker.death_penalty_class,
            AbandonedJobError,
            AbandonedJobError(text),
            None,
        )


def run_stopped_callback(worker: "Worker", claim: Claim) -> None:
    """Run RQ's `on_stopped` in a horse, after a person stopped the job."""
    with suppress(Exception):  # logged by RQ; a callback that raises harms nothing
        execute_stopped_callback(rq_job(worker, claim), worker.death_penalty_class)


def be_current_job(worker: "Worker", claim: Claim) -> None:
    """Let `rq.get_current_job()` answer inside a job, for the rest of this context; its object is made when asked."""
    job: Any = SimpleLazyObject(partial(rq_job, worker, claim))
    _current_job.set(job)


def finish_as_rq(worker: "Worker", claim: Claim, report: "Report") -> None:
    """End a job that others depend on by RQ's own code, which moves them to their queues."""
    queue, job = worker.queue_named(claim.queue), _ended_job(worker, claim)
    value = report.result_bytes
    job._result = queue.serializer.loads(value) if value else None  # noqa: SLF001  as RQ's horse does
    job._status = JobStatus.FINISHED  # noqa: SLF001  as RQ's horse does
    worker.handle_job_success(job, queue, job.started_job_registry, rq_execution(worker, claim))


def retry_as_rq(worker: "Worker", claim: Claim, retry: Retry) -> None:
    """Do what a job asked for that returned RQ's `Retry`."""
    queue, job = worker.queue_named(claim.queue), _ended_job(worker, claim)
    job._result = retry  # noqa: SLF001  as RQ's horse does
    worker.handle_job_retry(job, queue, retry, job.started_job_registry, rq_execution(worker, claim))


def release_dependents(worker: "Worker", claim: Claim) -> None:
    """Enqueue the jobs that may run although the one they depend on died."""
    job = rq_job(worker, claim)
    if worker.connection.exists(job.dependents_key):
        worker.queue_named(claim.queue).enqueue_dependents(job)


def rq_job(worker: "Worker", claim: Claim) -> Job:
    """Return RQ's object for a claimed job, with the retries that are truly left."""
    job = Job(claim.job_id, connection=worker.connection, serializer=worker.queue_named(claim.queue).serializer)
    job.restore({name.encode(): value for name, value in claim.record.items()})
    left = claim.text("m_left")
    job.retries_left = int(left) if left else None
    return job


def rq_execution(worker: "Worker", claim: Claim) -> Execution:
    """Return RQ's object for the execution that holds the claim."""
    return Execution(claim.execution_id, claim.job_id, worker.connection, worker.name)


def _ended_job(worker: "Worker", claim: Claim) -> Job:
    job = rq_job(worker, claim)
    job.ended_at = datetime.now(UTC)
    job.started_at = job.started_at or job.ended_at
    return job
