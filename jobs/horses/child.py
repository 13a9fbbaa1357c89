"""Inside the horse: carry out orders until there are none, or until this process should be replaced.

When the parent dies, its end of the lifeline closes and the horse kills itself and all it has started: a killed worker
leaves nothing behind that goes on working.
"""

import os
import signal
import threading
from contextlib import suppress
from contextvars import copy_context
from datetime import timedelta
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from django import db

from jobs import caching, foreign, job_logs, locks
from jobs.conf import conf
from jobs.connection import forget_connections
from jobs.horses.calls import run_call
from jobs.horses.messages import BEGAN, HEADER, LEAVING, Kind, Order, Report, framed, read_order
from jobs.horses.surroundings import Surroundings
from jobs.logs import bind_job, log
from jobs.permits import permit
from jobs.queue import Queue

if TYPE_CHECKING:
    from jobs.worker import Worker


def live(worker: "Worker", *, orders: int, reports: int, lifeline: int) -> NoReturn:
    """Be a horse, with the pipes given as file descriptors; never returns."""
    status = 1
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, _not_meant_for_me)
        signal.signal(signal.SIGTERM, _not_meant_for_me)
        forget_connections()
        _forget_databases()
        _watch_lifeline(lifeline)
        _work(worker, orders, reports)
        status = 0
    except Exception:  # noqa: BLE001  the last word of a process that ends
        log.exception("horse failed", worker=worker.name)
    finally:
        _leave(status)


_parents: list[Any] = []


def _forget_databases() -> None:
    """Connect anew when a job asks: what is open is the parent's, and is neither used nor closed here."""
    for connection in db.connections.all(initialized_only=True):
        _parents.append(connection)
        del db.connections[connection.alias]


def _not_meant_for_me(_signum: int, _frame: FrameType | None) -> None:
    """The worker ends after its current job, also where a signal reaches all of its processes; SIGKILL ends a horse.

    A function and not SIG_IGN, which the programs that a job starts would inherit.
    """


def _work(worker: "Worker", orders: int, reports: int) -> None:
    surroundings = Surroundings.now()
    for _ in range(conf().JOBS_PER_HORSE):
        order = _next_order(orders)
        if order is None:
            return
        _send(reports, BEGAN)
        report = copy_context().run(_carry_out, worker, order)
        _send(reports, report.written())
        reason = "its job ran out of time" if report.timed_out else surroundings.restore()
        if reason or order.kind is not Kind.CALL:
            log.debug("horse replaced", worker=worker.name, reason=reason or f"it ran {order.kind}")
            break
    _send(reports, LEAVING)


def _carry_out(worker: "Worker", order: Order) -> Report:
    claim = order.claim
    queue = worker.queue_named(claim.queue)
    os.environ["RQ_WORKER_ID"], os.environ["RQ_JOB_ID"] = worker.name, claim.job_id
    with bind_job(
        job_id=claim.job_id,
        resource=claim.resource,
        queue=claim.queue,
        worker=worker.name,
        attempt=claim.attempt,
    ):
        match order.kind:
            case Kind.CALL:
                return _call(worker, order, queue)
            case Kind.RQ:
                with job_logs.capture(claim.job_id, attempt=claim.attempt):
                    return Report(done=foreign.run_in_rq(worker, claim, queue))
            case Kind.FAILURE_CALLBACK:
                foreign.run_failure_callback(worker, claim, order.text)
            case Kind.STOPPED_CALLBACK:
                foreign.run_stopped_callback(worker, claim)
        return Report(done=True)


def _call(worker: "Worker", order: Order, queue: Queue) -> Report:
    claim = order.claim
    call = permit(claim, queue.serializer)
    foreign.be_current_job(worker, claim)
    if claim.resource:
        limit = timedelta(seconds=order.timeout)
        locks.inherit(claim.resource, holder=worker.name, token=int(claim.token), max_duration=limit)
    with job_logs.capture(claim.job_id, attempt=claim.attempt) as captured:
        report = run_call(call, queue.serializer, timeout=order.timeout, cached=bool(claim.text("m_cache")))
        captured.succeeded = report.done
    return report


def _next_order(orders: int) -> Order | None:
    """Wait for an order; None when there will be none any more."""
    header = _read(orders, HEADER.size)
    return read_order(_read(orders, HEADER.unpack(header)[0])) if header else None


def _read(pipe: int, size: int) -> bytes:
    """Return that many bytes, or none at the pipe's end."""
    pieces = b""
    while len(pieces) < size:
        piece = os.read(pipe, size - len(pieces))
        if not piece:
            return b""
        pieces += piece
    return pieces


def _send(pipe: int, body: bytes) -> None:
    message = framed(body)
    while message:
        message = message[os.write(pipe, message) :]


def _watch_lifeline(lifeline: int) -> None:
    """Kill this process group as soon as the parent's end of the pipe closes."""

    def watch() -> None:
        while os.read(lifeline, 1):
            pass
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, name="lifeline", daemon=True).start()


def _leave(status: int) -> NoReturn:
    """End the horse without running its parent's exit handlers."""
    with suppress(Exception):
        db.connections.close_all()
    with suppress(Exception):
        caching.flush_counts()
    os._exit(status)
