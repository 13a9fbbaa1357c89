"""Write down how a ride ended."""

import os
import signal
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from rq.defaults import CALLBACK_TIMEOUT
from rq.job import Retry

from jobs import caching, durations, foreign, outcomes, rides
from jobs.claims import Claim, Superseded
from jobs.conf import conf
from jobs.connection import StoreAway
from jobs.guards import TAKEN_OVER
from jobs.horses.messages import Kind, Order, Report
from jobs.logs import log
from jobs.outcomes import Outcome
from jobs.permits import Call
from jobs.retries import delay_before_retry
from jobs.rides import DEAF_GRACE_S, RideEnd, time_limit

if TYPE_CHECKING:
    from jobs.worker import Worker


def commit(worker: "Worker", claim: Claim, call: Call, end: RideEnd, *, last: bool) -> None:
    """Commit the end of a job that the horse ran by itself; `last`: the worker wants no other. Raises Superseded."""
    report = end.report
    if report is None:
        _commit_silence(worker, claim, end)
    elif not report.done:
        _commit_failure(worker, claim, end, error=report.error, traceback=report.traceback)
    elif report.retry is not None:
        foreign.retry_as_rq(worker, claim, Retry(**report.retry))
        worker.patiently(lambda: outcomes.settle(worker.connection, claim))
    else:
        _commit_success(worker, claim, call, report, end.took, last=last)


def _commit_success(
    worker: "Worker",
    claim: Claim,
    call: Call,
    report: Report,
    took: timedelta,
    *,
    last: bool,
) -> None:
    filling = _filling(claim, call, report)
    if filling and conf().CACHE_URL:
        apart, filling = filling, None
        with suppress(*StoreAway):
            caching.fill_from_job(apart, token=claim.token, generation=claim.generation, by=claim.job_id, took=took)
    outcome = worker.intake.finish(claim, result=report.result_bytes, filling=filling, last=last)
    worker.accounts.note(claim, succeeded=True, ran=took)
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


def _commit_failure(worker: "Worker", claim: Claim, end: RideEnd, *, error: str, traceback: str) -> None:
    delay = delay_before_retry(claim)
    lost = end.killed == "lost"
    outcome = worker.patiently(
        lambda: outcomes.fail(worker.connection, claim, error=error, traceback=traceback, delay=delay, lost=lost),
    )
    worker.accounts.note(claim, succeeded=False, ran=end.took)
    log.warning("attempt failed", job=claim.name, error=error, traceback=traceback)
    if outcome is Outcome.RETRIED:
        log.info("retry due", job=claim.name, seconds=delay.total_seconds())
    elif outcome is Outcome.GAVE_WAY:
        log.info("gave way", job=claim.name)
    else:
        log.error("dead", job=claim.name, reason=error)
        foreign.release_dependents(worker, claim)


def _commit_silence(worker: "Worker", claim: Claim, end: RideEnd) -> None:
    """Commit the end of a horse that gave no report."""
    if end.killed == "superseded":
        return
    if end.killed == "lost":
        error = f"LeaseLost: The lock of {claim.resource} is no longer this attempt's"
        _commit_kill(worker, claim, end, error=error)
    elif end.killed == "timeout":
        error = f"MaxDurationExceeded: Killed {DEAF_GRACE_S:g} s after its maximum of {time_limit(claim)} s"
        _commit_kill(worker, claim, end, error=error)
    elif worker.stopped_job_id == claim.job_id:
        worker.patiently(lambda: outcomes.stop(worker.connection, claim))
        log.warning("stopped", job=claim.name)
        if claim.text("stopped_callback_name"):
            limit = claim.number("stopped_callback_timeout", CALLBACK_TIMEOUT)
            rides.ride(worker, Order(Kind.STOPPED_CALLBACK, claim, limit))
    elif worker.force_requested:
        worker.patiently(lambda: outcomes.give_back(worker.connection, claim))
        log.warning("given back", job=claim.name)
    else:
        _commit_crash(worker, claim, end, text=_describe(worker, end))


def _commit_kill(worker: "Worker", claim: Claim, end: RideEnd, *, error: str) -> None:
    _commit_failure(worker, claim, end, error=error, traceback=error)
    _call_back(worker, claim, error)


def _commit_crash(worker: "Worker", claim: Claim, end: RideEnd, *, text: str) -> None:
    outcome = worker.patiently(lambda: outcomes.crash(worker.connection, claim, text=text))
    worker.accounts.note(claim, succeeded=False, ran=end.took)
    log.error("crashed", job=claim.name, reason=text)
    if outcome is Outcome.DEAD:
        log.error("dead", job=claim.name, reason=text)
        foreign.release_dependents(worker, claim)
        _call_back(worker, claim, text)


def _call_back(worker: "Worker", claim: Claim, text: str) -> None:
    """Run RQ's `on_failure` for an attempt whose horse could not."""
    if claim.text("failure_callback_name"):
        limit = claim.number("failure_callback_timeout", CALLBACK_TIMEOUT)
        rides.ride(worker, Order(Kind.FAILURE_CALLBACK, claim, limit, text=text))


def commit_foreign(worker: "Worker", claim: Claim, end: RideEnd) -> None:
    """Commit the end of a job that RQ's own code ran and ended. Raises Superseded."""
    if end.killed or end.report is None:
        _commit_silence(worker, claim, end)
        return
    worker.intake.forget_state()
    if not end.report.done:
        raise Superseded(TAKEN_OVER)
    status = worker.patiently(lambda: outcomes.settle(worker.connection, claim))
    durations.note(claim.queue, waited=None, ran=end.took)
    log.info("finished" if status == "finished" else "attempt ended", job=claim.name, status=status)


def _describe(worker: "Worker", end: RideEnd) -> str:
    """Say what is known of a horse that ended by itself: how, on which worker, its peak memory, its last heartbeat."""
    if end.ending is None:
        return f"The horse ended without a word on worker {worker.name}"
    status = end.ending.status
    how = (
        f"was killed by {signal.Signals(os.WTERMSIG(status)).name}"
        if os.WIFSIGNALED(status)
        else f"ended with exit code {os.waitstatus_to_exitcode(status)}"
    )
    return (
        f"The horse {how} on worker {worker.name}: {end.ending.peak_memory >> 20:,} MB at its peak, "
        f"last heartbeat {end.heartbeat:%H:%M:%S} UTC"
    )
