"""Write down how a ride ended."""

import os
import signal
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from rq.job import Retry

from jobs import caching, foreign, outcomes
from jobs.claims import Claim
from jobs.conf import conf
from jobs.connection import StoreAway
from jobs.horse import Report
from jobs.logs import log
from jobs.outcomes import Outcome
from jobs.permits import Call
from jobs.retries import delay_before_retry
from jobs.rides import DEAF_GRACE_S, HorseEnd, time_limit

if TYPE_CHECKING:
    from jobs.worker import Worker


def commit(worker: "Worker", claim: Claim, call: Call, end: HorseEnd, took: timedelta) -> None:
    """Commit the end of a job that the horse ran by itself. Raises Superseded."""
    report = end.report
    if report is None:
        _commit_silence(worker, claim, end)
    elif not report.done:
        _commit_failure(worker, claim, error=report.error, traceback=report.traceback)
    elif report.retry is not None:
        foreign.retry_as_rq(worker, claim, Retry(**report.retry))
        worker.patiently(lambda: outcomes.settle(worker.connection, claim))
    else:
        _commit_success(worker, claim, call, report, took)


def _commit_success(worker: "Worker", claim: Claim, call: Call, report: Report, took: timedelta) -> None:
    filling = _filling(claim, call, report)
    if filling and conf().CACHE_URL:
        apart, filling = filling, None
        with suppress(*StoreAway):
            caching.fill_from_job(apart, token=claim.token, generation=claim.generation, by=claim.job_id, took=took)
    outcome = worker.patiently(
        lambda: outcomes.finish(worker.connection, claim, result=report.result_bytes, filling=filling),
    )
    if outcome is Outcome.DEPENDENTS:
        foreign.finish_as_rq(worker, claim, report)
        worker.patiently(lambda: outcomes.settle(worker.connection, claim))
    elif filling:
        written = outcome is not Outcome.REFUSED_BY_CACHE
        caching.note_refresh(filling.key, by=claim.job_id, written=written, took=took)
    log.info("finished", job=claim.name, resource=claim.resource, seconds=round(took.total_seconds(), 3))


def _filling(claim: Claim, call: Call, report: Report) -> caching.Filling | None:
    """Return the cache entry that a job's return value becomes, if it has one."""
    key = claim.text("m_cache")
    if call.job is None or not key:
        return None
    limits = call.job.coordination
    return caching.Filling(key, caching.namespace_of(key), report.value, limits.fresh_for, limits.stale_for)


def _commit_failure(worker: "Worker", claim: Claim, *, error: str, traceback: str, lost: bool = False) -> None:
    delay = delay_before_retry(claim)
    outcome = worker.patiently(
        lambda: outcomes.fail(worker.connection, claim, error=error, traceback=traceback, delay=delay, lost=lost),
    )
    log.warning("attempt failed", job=claim.name, error=error, traceback=traceback)
    if outcome is Outcome.RETRIED:
        log.info("retry due", job=claim.name, seconds=delay.total_seconds())
    else:
        log.error("dead", job=claim.name, reason=error)
        foreign.release_dependents(worker, claim)


def _commit_silence(worker: "Worker", claim: Claim, end: HorseEnd) -> None:
    """Commit the end of a horse that gave no report."""
    client = worker.connection
    if end.killed == "superseded":
        return
    if end.killed == "lost":
        error = f"LeaseLost: The lock of {claim.resource} is no longer this attempt's"
        _commit_failure(worker, claim, error=error, traceback=error, lost=True)
    elif end.killed == "timeout":
        error = f"MaxDurationExceeded: Killed {DEAF_GRACE_S:g} s after its maximum of {time_limit(claim)} s"
        _commit_failure(worker, claim, error=error, traceback=error)
    elif worker.stopped_job_id == claim.job_id:
        worker.patiently(lambda: outcomes.stop(client, claim))
        log.warning("stopped", job=claim.name)
    elif worker.force_requested:
        outcomes.give_back(client, claim)
        log.warning("given back", job=claim.name)
    else:
        text = _describe_end(worker, end.status)
        outcome = worker.patiently(lambda: outcomes.crash(client, claim, text=text))
        log.error("crashed", job=claim.name, reason=text)
        if outcome is Outcome.DEAD:
            log.error("dead", job=claim.name, reason=text)
            foreign.release_dependents(worker, claim)


def commit_foreign(worker: "Worker", claim: Claim, end: HorseEnd) -> None:
    """Commit the end of a job that RQ's own code ran and ended. Raises Superseded."""
    if end.killed or not os.WIFEXITED(end.status) or os.WEXITSTATUS(end.status):
        _commit_silence(worker, claim, end)
        return
    status = worker.patiently(lambda: outcomes.settle(worker.connection, claim))
    log.info("finished" if status == "finished" else "attempt ended", job=claim.name, status=status)


def _describe_end(worker: "Worker", status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"The horse was killed by {signal.Signals(number).name} on worker {worker.name}"
    return f"The horse ended with exit code {os.waitstatus_to_exitcode(status)} on worker {worker.name}"
