"""Kills a worker in the middle of a job now and then, so that somebody sees the job come back."""

import os
import signal
import socket
from datetime import timedelta
from threading import Event

from jobs.connection import StoreAway
from jobs.logs import log
from jobs.reads.workers import BusyWorker, list_workers

FIRST = timedelta(seconds=90)
EVERY = timedelta(minutes=4)
STEP_S = 0.5


def kill_now_and_then(ended: Event) -> None:
    """Kill a busy worker after 90 s, and then one about every four minutes, until the end."""
    wait = FIRST
    while not ended.wait(wait.total_seconds()):
        try:
            while not kill_busy_worker() and not ended.wait(STEP_S):
                pass
        except StoreAway as error:
            log.warning("no worker killed, Redis is away", error=str(error))
        wait = EVERY


def kill_busy_worker() -> bool:
    """Kill one worker of this machine that runs a job, and return whether there was one; its horse dies with it."""
    for row in list_workers().workers:
        if _can_be_killed(row) and row.worker.pid:
            log.warning("worker killed on purpose", worker=row.worker.name, pid=row.worker.pid, job_id=row.jobs[0].id)
            os.kill(row.worker.pid, signal.SIGKILL)
            return True
    return False


def _can_be_killed(row: BusyWorker) -> bool:
    """Return whether it is alive, busy, and what `up` started here: `up` makes each of its parts lead a session."""
    worker = row.worker
    here = worker.host == socket.gethostname().replace(":", "-") and not worker.gone
    return here and bool(row.jobs) and _leads_session(worker.pid or 0)


def _leads_session(pid: int) -> bool:
    try:
        return os.getsid(pid) == pid
    except OSError:
        return False
