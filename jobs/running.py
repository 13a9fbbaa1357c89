"""Run one claimed job: fork the horse, renew claim and lease while it works, commit how it went."""

import os
import select
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from rq.job import Retry

from jobs import caching, claims, foreign, horse
from jobs.arguments import InvalidArguments
from jobs.claims import Claim, Outcome, Renewal, Superseded
from jobs.conf import conf
from jobs.connection import StoreAway, forget_connections
from jobs.horse import Report
from jobs.logs import bind_job, log
from jobs.permits import Call, NotPermitted, permit
from jobs.retries import delay_before_retry

if TYPE_CHECKING:
    from jobs.worker import Worker

DEAF_GRACE_S = 5.0
EXIT_GRACE_S = 5.0
PIECE = 65_536


@dataclass(frozen=True, slots=True)
class HorseEnd:
    """How a horse ended: its report if it gave one, its exit status, and why its parent ended it if it did."""

    report: Report | None
    status: int
    killed: str = ""


def run_claim(worker: "Worker", claim: Claim) -> None:
    """Run a claimed job to whatever end, and commit that end. Raises nothing that the job could cause."""
    with bind_job(job_id=claim.job_id, queue=claim.queue, worker=worker.name, attempt=claim.attempt):
        try:
            _run(worker, claim)
        except Superseded as error:
            log.warning("superseded", reason=str(error))


def _run(worker: "Worker", claim: Claim) -> None:
    queue = worker.queue_named(claim.queue)
    try:
        call = permit(claim, queue.serializer)
        claim.name = call.name
        if not _locked(worker, claim, call):
            log.info("lock busy", resource=claim.text("m_resource"))
            return
    except (NotPermitted, InvalidArguments) as error:
        text = str(error)
        worker.patiently(lambda: claims.refuse(worker.connection, claim, text=text))
        log.error("dead", job=claim.name, reason=text)
        return

    log.info("taken", job=claim.name, resource=claim.resource)
    if claim.resource:
        log.info("lock acquired", resource=claim.resource, token=claim.token)
    _begin_refresh(claim)
    began = time.monotonic()
    if foreign.needs_rq(claim, worker):
        end = _ride(worker, claim, lambda pipe: foreign.run_in_rq(worker, claim, queue, pipe))
        _commit_foreign(worker, claim, end)
    else:
        timeout, cached = _timeout(claim), bool(claim.text("m_cache"))

        def report(pipe: int) -> None:
            horse.send_report(pipe, horse.run_call(call, queue.serializer, timeout=timeout, cached=cached))

        end = _ride(worker, claim, report)
        _commit(worker, claim, call, end, timedelta(seconds=time.monotonic() - began))
    if claim.resource:
        log.info("lock released", resource=claim.resource, held=round(time.monotonic() - began, 3))


def _locked(worker: "Worker", claim: Claim, call: Call) -> bool:
    """Lock what the registration names when the record, written by another RQ client, does not."""
    if claim.resource or call.job is None:
        return True
    arguments = call.job.bind(tuple(call.args), call.kwargs)
    resource = call.job.resource(arguments)
    if not resource:
        return True
    cache = call.job.cache_key(arguments) or ""
    claim.record["m_resource"], claim.record["m_cache"] = resource.encode(), cache.encode()
    return worker.patiently(
        lambda: claims.lock_resource(worker.connection, claim, worker.claimant, resource=resource, cache=cache),
    )


def _begin_refresh(claim: Claim) -> None:
    """Take the refreshing marker where the cache lies on a server of its own, out of reach of the claim's script."""
    key = claim.text("m_cache")
    if key and conf().CACHE_URL:
        with suppress(*StoreAway):
            lease = conf().VISIBILITY_TIMEOUT
            claim.generation = caching.begin_from_job(key, token=claim.token, by=claim.job_id, lease=lease)


def _timeout(claim: Claim) -> int:
    return claim.number("timeout", int(conf().MAX_DURATION.total_seconds()))


def _ride(worker: "Worker", claim: Claim, in_horse: "foreign.InHorse") -> HorseEnd:
    """Fork the horse and stay with it: renew, enforce the time limit, collect its report and its end."""
    report_read, report_write = os.pipe()
    lifeline_read, lifeline_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(report_read)
        os.close(lifeline_write)
        _be_horse(worker, claim, lifeline_read, report_write, in_horse)
    with suppress(OSError):
        os.setpgid(pid, pid)
    os.close(report_write)
    os.close(lifeline_read)
    worker.mount(claim, pid)
    try:
        return _watch(worker, claim, pid, report_read)
    finally:
        worker.dismount(claim)
        os.close(report_read)
        os.close(lifeline_write)


def _be_horse(worker: "Worker", claim: Claim, lifeline: int, pipe: int, in_horse: "foreign.InHorse") -> None:
    """Run in the child; never returns."""
    status = 1
    try:
        os.setpgid(0, 0)
        worker.setup_work_horse_signals()  # type: ignore[no-untyped-call]
        forget_connections()
        horse.watch_lifeline(lifeline)
        os.environ["RQ_WORKER_ID"], os.environ["RQ_JOB_ID"] = worker.name, claim.job_id
        in_horse(pipe)
        status = 0
    finally:
        horse.leave(status)


def _watch(worker: "Worker", claim: Claim, pid: int, pipe: int) -> HorseEnd:
    reader, killed = horse.ReportReader(), ""
    timeout = _timeout(claim)
    deadline = time.monotonic() + timeout + DEAF_GRACE_S if timeout > 0 else float("inf")
    every = worker.renew_every.total_seconds()
    renew_at = time.monotonic() + every
    while True:
        wait = max(0.0, min(renew_at, deadline) - time.monotonic())
        readable, _, _ = select.select([pipe], [], [], wait)
        if readable:
            piece = os.read(pipe, PIECE)
            report = reader.feed(piece) if piece else None
            if report or not piece:
                return HorseEnd(report, _reap(worker, pid), killed)
        elif time.monotonic() >= deadline:
            killed, deadline = "timeout", float("inf")
            worker.kill_horse()
        elif time.monotonic() >= renew_at:
            killed = killed or _renew(worker, claim, pid)
            renew_at = time.monotonic() + every


def _renew(worker: "Worker", claim: Claim, pid: int) -> str:
    """Renew claim and lease; kill the horse when either is lost, and return why it was killed."""
    try:
        renewal = claims.renew(
            worker.connection,
            claim,
            record_ttl=worker.claimant.record_ttl,
            memory=worker.memory_used(pid),
        )
        claims.log_reclaimed(claims.reclaim(worker.connection, list(worker.claimant.queues)))
    except StoreAway as error:
        log.warning("claim not renewed, Redis is away", error=str(error))
        return ""
    if renewal is Renewal.RENEWED:
        if conf().CACHE_URL and (key := claim.text("m_cache")):
            caching.renew_from_job(key, token=claim.token, lease=conf().VISIBILITY_TIMEOUT)
        log.debug("lock renewed", resource=claim.resource)
        return ""
    log.warning("claim lost" if renewal is Renewal.SUPERSEDED else "lease lost", resource=claim.resource)
    worker.kill_horse()
    return "superseded" if renewal is Renewal.SUPERSEDED else "lost"


def _reap(worker: "Worker", pid: int) -> int:
    """Wait for the horse's exit; one that stays after its report is killed."""
    give_up = time.monotonic() + EXIT_GRACE_S
    while time.monotonic() < give_up:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.001)
    worker.kill_horse()
    return os.waitpid(pid, 0)[1]


def _commit(worker: "Worker", claim: Claim, call: Call, end: HorseEnd, took: timedelta) -> None:
    report = end.report
    if report is None:
        _commit_silence(worker, claim, end)
    elif not report.done:
        _commit_failure(worker, claim, error=report.error, traceback=report.traceback)
    elif report.retry is not None:
        foreign.retry_as_rq(worker, claim, Retry(**report.retry))
        worker.patiently(lambda: claims.settle(worker.connection, claim))
    else:
        _commit_success(worker, claim, call, report, took)


def _commit_success(worker: "Worker", claim: Claim, call: Call, report: Report, took: timedelta) -> None:
    filling = _filling(claim, call, report)
    if filling and conf().CACHE_URL:
        apart, filling = filling, None
        with suppress(*StoreAway):
            caching.fill_from_job(apart, token=claim.token, generation=claim.generation, by=claim.job_id, took=took)
    outcome = worker.patiently(
        lambda: claims.finish(worker.connection, claim, result=report.result_bytes, filling=filling),
    )
    if outcome is Outcome.DEPENDENTS:
        foreign.finish_as_rq(worker, claim, report)
        worker.patiently(lambda: claims.settle(worker.connection, claim))
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
        lambda: claims.fail(worker.connection, claim, error=error, traceback=traceback, delay=delay, lost=lost),
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
        error = f"MaxDurationExceeded: Killed {DEAF_GRACE_S:g} s after its maximum of {_timeout(claim)} s"
        _commit_failure(worker, claim, error=error, traceback=error)
    elif worker.stopped_job_id == claim.job_id:
        worker.patiently(lambda: claims.stop(client, claim))
        log.warning("stopped", job=claim.name)
    elif worker.force_requested:
        claims.give_back(client, claim)
        log.warning("given back", job=claim.name)
    else:
        text = _describe_end(worker, end.status)
        outcome = worker.patiently(lambda: claims.crash(client, claim, text=text))
        log.error("crashed", job=claim.name, reason=text)
        if outcome is Outcome.DEAD:
            log.error("dead", job=claim.name, reason=text)
            foreign.release_dependents(worker, claim)


def _commit_foreign(worker: "Worker", claim: Claim, end: HorseEnd) -> None:
    if end.killed or not os.WIFEXITED(end.status) or os.WEXITSTATUS(end.status):
        _commit_silence(worker, claim, end)
        return
    status = worker.patiently(lambda: claims.settle(worker.connection, claim))
    log.info("finished" if status == "finished" else "attempt ended", job=claim.name, status=status)


def _describe_end(worker: "Worker", status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"The horse was killed by {signal.Signals(number).name} on worker {worker.name}"
    return f"The horse ended with exit code {os.waitstatus_to_exitcode(status)} on worker {worker.name}"
