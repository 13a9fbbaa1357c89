"""One action on many jobs in one round trip: each is judged by itself, and those that changed are left alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jobs import scripts
from jobs.connection import store
from jobs.discards import discard_call, restore_call
from jobs.logs import log
from jobs.retries import retry_call
from jobs.seen import SeenJob

MOST = 500
"""Jobs that one action takes."""


@dataclass(frozen=True, slots=True)
class Result:
    """How many jobs the action was done to, and how many had changed and were left alone."""

    done: int
    skipped: int


def retry_jobs(jobs: Sequence[SeenJob], *, by: str) -> Result:
    """Retry the dead letters among `jobs` that still are as they were seen, in one round trip."""
    return _run("retried by hand", jobs, retry_call, by)


def discard_jobs(jobs: Sequence[SeenJob], *, by: str) -> Result:
    """Discard those of `jobs` that still are as they were seen and not in flight, in one round trip."""
    return _run("discarded", jobs, discard_call, by)


def restore_jobs(jobs: Sequence[SeenJob], *, by: str) -> Result:
    """Restore those of `jobs` that are in the bin, in one round trip.

    The last one goes first: on a queue each finds the neighbour that it stood before.
    """
    return _run("restored", list(reversed(jobs)), restore_call, by)


def _run(event: str, jobs: Sequence[SeenJob], make_call: Callable[..., scripts.Call], by: str) -> Result:
    if len(jobs) > MOST:
        message = f"At most {MOST} jobs at once."
        raise ValueError(message)
    answers = scripts.run_all(store(), [make_call(job, by=by) for job in jobs])
    done = sum(answer == 1 or (isinstance(answer, list) and answer[0] == 1) for answer in answers)
    log.info(event, by=by, jobs=done, skipped=len(jobs) - done)
    return Result(done, len(jobs) - done)
