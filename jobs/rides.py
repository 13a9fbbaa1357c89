"""Give a claimed job to a horse and stay with it: renew, enforce the time limit, collect its report and its end."""

import select
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from jobs import caching, claims, reclaims
from jobs.claims import Claim, Renewal
from jobs.conf import conf
from jobs.connection import StoreAway
from jobs.horses.messages import BEGAN, LEAVING, Kind, Order, Report, read_report
from jobs.horses.mounts import Ending, Horse
from jobs.logs import log

if TYPE_CHECKING:
    from jobs.worker import Worker

DEAF_GRACE_S = 5.0
BEGIN_GRACE_S = 5.0
LOOK_EVERY_S = 1.0
FOREVER = float("inf")


@dataclass(frozen=True, slots=True)
class RideEnd:
    """How a ride ended: the report, or the ending of a horse that gave none, and why its parent ended it if it did."""

    report: Report | None
    took: timedelta
    heartbeat: datetime
    killed: str = ""
    ending: Ending | None = None


def ride(worker: "Worker", order: Order) -> RideEnd:
    """Have a horse carry out an order, and stay with it. One that has not begun it within 5 s is replaced."""
    while True:
        horse = worker.stable.mount(fresh=order.kind is not Kind.CALL)
        with worker.mounted(order.claim, horse.pid):
            end = _Ride(worker, horse, order).watch()
        if end and end.report:
            return end
        ending = worker.stable.replace(kill=LEAVING not in horse.inbox)
        if end:
            return replace(end, ending=ending)


class _Ride:
    """One order under way: when its claim must be renewed, when its time is over, why its horse was killed."""

    def __init__(self, worker: "Worker", horse: Horse, order: Order) -> None:
        self.worker, self.horse, self.order = worker, horse, order
        self.began = False
        self.began_at = time.monotonic()
        self.heartbeat = datetime.now(UTC)
        self.killed = ""
        self.every_s = worker.renew_every.total_seconds()
        self.renew_at = time.monotonic() + self.every_s if order.kind in (Kind.CALL, Kind.RQ) else FOREVER
        self.deadline = time.monotonic() + BEGIN_GRACE_S

    def watch(self) -> RideEnd | None:
        """Return how the ride ended; None when the horse never began it."""
        if self.worker.force_requested:
            return self._end(None)
        self.horse.give(self.order)
        while True:
            end = self._listen()
            if end:
                return end
            if self.horse.silent or LEAVING in self.horse.inbox or self._overdue():
                return self._end(None) if self.began or self.worker.is_unwanted(self.order.claim) else None

    def _listen(self) -> RideEnd | None:
        """Wait for the next thing to do, and do it."""
        horse, now = self.horse, time.monotonic()
        wait = max(0.0, min(self.renew_at, self.deadline, now + LOOK_EVERY_S, self.worker.grace_ends) - now)
        readable, writable, _ = select.select([horse.reports], [horse.orders] if horse.unsent else [], [], wait)
        if writable:
            horse.push()
        if readable:
            horse.hear()
        elif horse.has_ended():
            horse.hear_the_rest()
        elif not writable:
            self._mind_the_time()
        return self._read_inbox()

    def _read_inbox(self) -> RideEnd | None:
        inbox = self.horse.inbox
        while inbox and inbox[0] != LEAVING:
            message = inbox.popleft()
            if message == BEGAN:
                self.began, self.began_at = True, time.monotonic()
                timeout = self.order.timeout
                self.deadline = time.monotonic() + timeout + DEAF_GRACE_S if timeout > 0 else FOREVER
            else:
                return self._end(read_report(message))
        return None

    def _mind_the_time(self) -> None:
        now = time.monotonic()
        if self.began and now >= self.deadline:
            self.killed, self.deadline = self.killed or "timeout", FOREVER
            self.worker.kill_horse()
        if now >= self.renew_at:
            self.killed = self.killed or _renew(self.worker, self.order.claim, self.horse.pid)
            self.heartbeat = datetime.now(UTC)
            self.renew_at = now + self.every_s
        if now >= self.worker.grace_ends:
            self.worker.give_up()

    def _overdue(self) -> bool:
        return not self.began and time.monotonic() >= self.deadline

    def _end(self, report: Report | None) -> RideEnd:
        lost = "lost" if self.worker.lost_execution == self.order.claim.execution_id else ""
        took = timedelta(seconds=time.monotonic() - self.began_at)
        return RideEnd(report, took, self.heartbeat, self.killed or lost)


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


def time_limit(claim: Claim) -> int:
    """Return how long the job may take, in seconds; zero or less for ever, as RQ has it."""
    return claim.number("timeout", int(conf().MAX_DURATION.total_seconds()))
