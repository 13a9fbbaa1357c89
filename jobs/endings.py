"""The ends of an execution that RQ's own code writes: each only while the execution holds its claim."""

from contextlib import nullcontext
from datetime import timedelta
from typing import Any

from rq import Worker as RQWorker
from rq.executions import Execution
from rq.job import Job

from jobs import foreign
from jobs.conf import conf

RECORD_MARGIN = timedelta(seconds=60)


class RQEndings(RQWorker):
    """RQ's worker, whose horse commits nothing for an execution that was superseded."""

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:
        """Return the life of an execution's record in seconds, for the jobs that RQ's own code runs."""
        return int((conf().VISIBILITY_TIMEOUT + RECORD_MARGIN).total_seconds())

    def handle_execution_ended(self, job: Job, queue: Any, heartbeat_ttl: int) -> None:
        """Go on to callbacks and commit, unless this execution was superseded."""
        for execution in self.executions.values():
            foreign.check_holds(self, job.origin, execution.composite_key)
        super().handle_execution_ended(job, queue, heartbeat_ttl)

    def handle_job_success(self, job: Job, queue: Any, started_job_registry: Any, execution: Execution) -> None:
        """Commit by RQ's own code, unless this execution was superseded."""
        with foreign.guarded(self, execution):
            super().handle_job_success(job, queue, started_job_registry, execution)

    def handle_job_retry(
        self, job: Job, queue: Any, retry: Any, started_job_registry: Any, execution: Execution
    ) -> None:
        """Commit by RQ's own code, unless this execution was superseded."""
        with foreign.guarded(self, execution):
            super().handle_job_retry(job, queue, retry, started_job_registry, execution)

    def handle_job_failure(
        self,
        job: Job,
        queue: Any,
        started_job_registry: Any = None,
        exc_string: str = "",
        execution: Execution | None = None,
    ) -> None:
        """Commit by RQ's own code, unless this execution was superseded."""
        with foreign.guarded(self, execution) if execution else nullcontext():
            super().handle_job_failure(job, queue, started_job_registry, exc_string, execution)
