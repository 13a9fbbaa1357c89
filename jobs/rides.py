"""Fork the horse that runs a job and stay with it: renew, enforce the time limit, collect its report and its end."""

import os
import select
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobs import caching, claims, horse, reclaims
from jobs.claims import Claim, Renewal
from jobs.conf import conf
from jobs.connection import StoreAway, forget_connections
from jobs.horse import Report
from jobs.logs import log

if TYPE_CHECKING:
    from jobs.worker import Worker

DEAF_GRACE_S = 5.0
EXIT_GRACE_S = 5.0
PIECE = 65_536

InHorse = Callable[[int], None]
"""What the child does; it is given the file descriptor to report into."""


@dataclass(frozen=True, slots=True)
class HorseEnd:
    """How a horse ended: its report if it gave one, its exit status, and why its parent ended it if it did."""

    report: Report | None
    status: int
    killed: str = ""


def ride(worker: "Worker", claim: Claim, in_horse: InHorse) -> HorseEnd:
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


def _be_horse(worker: "Worker", claim: Claim, lifeline: int, pipe: int, in_horse: InHorse) -> None:
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
    timeout = time_limit(claim)
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
                lost = "lost" if worker.lost_execution == claim.execution_id else ""
                return HorseEnd(report, _reap(worker, pid), killed or lost)
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
        reclaims.log_reclaimed(reclaims.reclaim(worker.connection, list(worker.claimant.queues)))
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


def time_limit(claim: Claim) -> int:
    """Return how long the job may take, in seconds; zero or less for ever, as RQ has it."""
    return claim.number("timeout", int(conf().MAX_DURATION.total_seconds()))
