"""How a worker's horse is stopped: by a signal, by RQ's commands, by a lease taken away; never the job after it."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import FrameType
from typing import Any

from rq import Worker as RQWorker
from rq.command import parse_payload
from rq.executions import Execution

from jobs.claims import Claim
from jobs.conf import conf

STOP_JOB = "stop-job"
LEASE_LOST = "mandor-lease-lost"
SHUTDOWN = "shutdown"
PARTING = timedelta(seconds=2)
FOREVER = float("inf")


class Reins(RQWorker):
    """RQ's worker, which knows at each moment which execution its horse is at."""

    grace: timedelta | None = None
    """How long the current job may go on after the first signal; None for `MANDOR["GRACE"]`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.force_requested = False
        self.lost_execution = ""
        self.grace_ends = self.patience_ends = FOREVER
        self._reins = threading.RLock()

    @property
    def stopping(self) -> bool:
        return self._stop_requested

    @property
    def stopped_job_id(self) -> str | None:
        return self._stopped_job_id

    def is_unwanted(self, claim: Claim) -> bool:
        """Return whether the execution is to end without its job's doing."""
        return bool(
            self.force_requested or self.stopped_job_id == claim.job_id or self.lost_execution == claim.execution_id
        )

    @contextmanager
    def mounted(self, claim: Claim, horse: int) -> Iterator[None]:
        """Let RQ's commands find this horse and its execution inside the block, and nowhere else."""
        with self._reins:
            self._horse_pid = horse
            execution = Execution(claim.execution_id, claim.job_id, self.connection, self.name)
            self.executions[claim.execution_id] = execution
        try:
            yield
        finally:
            with self._reins:
                self._horse_pid = 0
                self.executions.pop(claim.execution_id, None)

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """First signal: end after the current job, which may take its time, or `grace` if that is not zero.

        A second one that comes while this runs is still handed to this: it is noticed before it is redirected.
        """
        if self._stop_requested:
            self.give_up()
            return
        self._stop_requested = True
        grace = conf().GRACE if self.grace is None else self.grace
        if grace:
            self.grace_ends = time.monotonic() + grace.total_seconds()
        signal.signal(signal.SIGINT, self.request_force_stop)
        signal.signal(signal.SIGTERM, self.request_force_stop)

    def request_force_stop(self, signum: int, frame: FrameType | None) -> None:
        """Second signal: kill the horse; its job goes back to its queue at once, with no attempt counted."""
        self.give_up()

    def give_up(self) -> None:
        """Kill the horse, if one is at work, and send its job back; Redis has 2 s to come back for that."""
        self.force_requested, self.grace_ends = True, FOREVER
        self.wait_no_longer_than(PARTING)
        with self._reins:
            if self.horse_pid:
                self.kill_horse()

    def wait_no_longer_than(self, patience: timedelta) -> None:
        """Have Redis no more than so much time to come back, from now on."""
        self.patience_ends = min(self.patience_ends, time.monotonic() + patience.total_seconds())

    def handle_payload(self, message: dict[str, Any]) -> None:
        """Do what RQ's channel of commands asks; one command is ours: a lease was taken away by hand.

        Nobody is mounted meanwhile, so that what is meant for one job kills no other.
        """
        payload = parse_payload(message)
        command = payload.get("command")
        with self._reins:
            if command == SHUTDOWN and self.stopping:
                return  # RQ does it by a signal, and a second signal would kill the job
            if command == STOP_JOB and not self.executions:
                return  # RQ would find the job in the worker's record, and kill the worker itself for want of a horse
            if command != LEASE_LOST:
                super().handle_payload(message)  # type: ignore[no-untyped-call]
            elif payload.get("execution") in self.executions:
                self.lost_execution = payload["execution"]
                self.kill_horse()
