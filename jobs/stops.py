"""Stop a job that runs, by RQ's own command to its worker."""

from django.utils.translation import gettext_lazy as _

from jobs import keys, scripts
from jobs.connection import store
from jobs.logs import log
from jobs.seen import NotDone, SeenJob

ASKED = 1
REASONS = {
    0: _("The execution that you saw is over, so nothing was stopped."),
    -1: _("No worker listens for this job: it went silent. The job goes back to its queue when its claim lapses."),
}


class NotStopped(NotDone):
    """Nothing was stopped; the message says why, for people."""


def stop_job(job: SeenJob, *, execution: str, by: str) -> None:
    """Ask the worker to kill the execution that the person saw, and no other one of the same job.

    Its worker files the job as stopped, and it is not retried by itself. Asking twice is as good as asking once.
    Raises NotStopped.
    """
    composite = f"{job.job_id}:{execution}"
    answer = scripts.run(
        store(),
        "job_stop",
        [keys.started(job.queue), keys.execution(composite), keys.timeline(job.job_id), keys.EVENTS],
        [job.job_id, execution, by, job.queue],
    )
    if answer != ASKED:
        raise NotStopped(REASONS[answer])
    log.info("stop asked", job_id=job.job_id, execution=execution, by=by)
