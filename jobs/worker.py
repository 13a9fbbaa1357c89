"""RQ's worker with Mandor's claims: the parent claims and commits, a forked horse runs the job."""

import logging
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar
from uuid import uuid4

from redis import Redis
from redis.exceptions import ResponseError
from rq.worker.base import DequeueStrategy, WorkerStatus

from jobs import keys, outcomes, running
from jobs.accounts import Accounts
from jobs.claims import Claim, Claimant, Superseded
from jobs.conf import conf
from jobs.connection import StoreAway, patient
from jobs.endings import RECORD_MARGIN, RQEndings
from jobs.horses.stable import Stable
from jobs.intake import Intake
from jobs.logs import log
from jobs.memory import memory_used
from jobs.queue import Queue
from jobs.reins import PARTING, Reins
from jobs.servers import warn_of_eviction
from jobs.upkeep import Upkeep

IDLE_WAIT_S = 0.8
RECONNECT_S = 0.5
VERSION = "0.1.0"

T = TypeVar("T")


class Worker(RQEndings, Reins):
    """A worker for `RQ["WORKER_CLASS"]`: plain `manage.py rqworker` runs it.

    It keeps no RQ scheduler: due jobs are moved by the elected upkeep, which also runs in a thread of each worker.
    """

    queue_class = Queue

    def __init__(self, queues: Any, name: str | None = None, **options: Any) -> None:
        host = socket.gethostname().replace(":", "-")
        super().__init__(queues, name or f"{host}.{os.getpid()}.{uuid4().hex[:6]}", **options)
        self.worker_ttl = int((conf().VISIBILITY_TIMEOUT + RECORD_MARGIN).total_seconds())
        self.accounts = Accounts(self.name)
        self.stable = Stable(self)
        self.registered = False
        self.intake = Intake(self)
        self.claimant = Claimant(
            name=self.name,
            host=host,
            pid=os.getpid(),
            queues=tuple(self.queue_names()),
            record_ttl=conf().VISIBILITY_TIMEOUT + RECORD_MARGIN,
        )

    @property
    def renew_every(self) -> timedelta:
        """A third of the visibility timeout."""
        return conf().VISIBILITY_TIMEOUT / 3

    @property
    def has_exception_handlers(self) -> bool:
        return bool(self._exc_handlers)

    def memory_used(self, horse: int) -> int:
        """Return the memory of this worker and its horse, in bytes."""
        return memory_used(horse)

    def queue_named(self, name: str) -> Queue:
        """Return one of this worker's queues, with the serializer its settings name."""
        return next(queue for queue in self.queues if queue.name == name and isinstance(queue, Queue))

    def serve_others_first(self, queue: str) -> None:
        """After a job of this queue, reorder the queues where the dequeue strategy is not the default one."""
        if self._dequeue_strategy is not DequeueStrategy.DEFAULT:
            self.reorder_queues(self.queue_named(queue))
            self.claimant = replace(self.claimant, queues=tuple(queue.name for queue in self._ordered_queues))

    def work(  # type: ignore[override]  # RQ's options about its logging and its scheduler have no meaning here
        self,
        burst: bool = False,
        max_jobs: int | None = None,
        max_idle_time: int | None = None,
        dequeue_strategy: str = DequeueStrategy.DEFAULT,
        **_: Any,
    ) -> bool:
        """Take and run jobs until told to stop; returns whether any was run. `burst`: until the queues are empty.

        `dequeue_strategy`: RQ's `default` (in the order given), `round_robin` or `random`; raises ValueError else.
        """
        self._dequeue_strategy = DequeueStrategy(dequeue_strategy)
        self._install_signal_handlers()  # type: ignore[no-untyped-call]
        try:
            self.bootstrap()
            with Upkeep(self.connection, name=self.name, queues=self.claimant.queues).standing():
                return self._work(burst=burst, max_jobs=max_jobs, max_idle_time=max_idle_time) > 0
        except StoreAway as error:
            if not self.stopping:
                raise
            log.warning("stopped without Redis", worker=self.name, error=str(error))
            return False
        finally:
            self._leave()

    def _leave(self) -> None:
        """Take leave of Redis; one that is away learns it from the end of this worker's record."""
        self.wait_no_longer_than(PARTING)
        self.stable.close()
        self.accounts.flush(self.connection, at_once=True)
        with suppress(*StoreAway):
            self.patiently(self.teardown)
        log.info("worker stopped", worker=self.name)

    def bootstrap(self, *_: Any, **__: Any) -> None:
        """Register this worker as RQ does, with what Mandor adds to its record."""
        self._quieten()
        self.patiently(self._register)
        self.patiently(self.subscribe)
        self.patiently(lambda: warn_of_eviction(self.connection))
        self.registered = True
        log.info("worker started", worker=self.name, queues=list(self.claimant.queues), pid=os.getpid())

    def register_again(self) -> None:
        """Write the worker's record anew: it lapsed while it was frozen, or went with a server that came back empty."""
        with suppress(*StoreAway, ResponseError):
            self.connection.delete(self.key)
            self._register()
            self.intake.forget_state()
            log.warning("worker registered again", worker=self.name)

    def _register(self) -> None:
        self.register_birth()  # type: ignore[no-untyped-call]
        visibility_ms = conf().VISIBILITY_TIMEOUT // timedelta(milliseconds=1)
        self.connection.hset(
            self.key,
            mapping={"m_version": VERSION, "m_visibility": visibility_ms, "m_memory": memory_used()},
        )
        self.set_state(WorkerStatus.IDLE)

    def patiently(self, action: Callable[[], T]) -> T:
        """Do what must be done in Redis, again and again while it is away; every script may be repeated.

        Raises what says that Redis is away once the worker was told to stop at once, or before it was registered.
        """
        while True:
            try:
                return action()
            except StoreAway as error:
                if time.monotonic() >= self.patience_ends or (self.stopping and not self.registered):
                    raise
                log.warning("Redis is away", worker=self.name, error=str(error))
                time.sleep(RECONNECT_S)

    def _set_connection(self, connection: Redis) -> Redis:
        return patient(connection)

    def _quieten(self) -> None:
        """Leave out RQ's own running commentary, which ours replaces; `rqworker -v 2` keeps it."""
        if self.log.getEffectiveLevel() == logging.INFO:
            self.log.setLevel(logging.WARNING)

    def _work(self, *, burst: bool, max_jobs: int | None, max_idle_time: int | None) -> int:
        ran, idle_since = 0, time.monotonic()
        while not self.stopping and (max_jobs is None or ran < max_jobs):
            claim = self._claim()
            if claim and self.stopping:
                self._give_back(claim)
            elif claim:
                ran, idle_since = ran + 1, time.monotonic()
                running.run_claim(self, claim, last=ran == max_jobs)
                self._stopped_job_id = None
            self.accounts.flush(self.connection)
            if claim is None:
                if burst or (max_idle_time is not None and time.monotonic() - idle_since >= max_idle_time):
                    break
                self._wait()
        self._give_back_rest()
        return ran

    def _claim(self) -> Claim | None:
        """Return the next job; None when there is none, or when Redis is away or refuses."""
        try:
            return self.intake.claim()
        except (*StoreAway, ResponseError) as error:
            log.warning("Redis is away, or refuses", worker=self.name, error=str(error))
            time.sleep(RECONNECT_S)
            return None

    def _give_back_rest(self) -> None:
        """Send back what came with the end of the last job, or what an unanswered request may have got.

        A claim that outlives the visibility timeout goes back without this worker's doing.
        """
        self.wait_no_longer_than(conf().VISIBILITY_TIMEOUT)
        with suppress(*StoreAway, ResponseError):
            claim = self.patiently(self.intake.rest)
            if claim:
                self._give_back(claim)

    def _give_back(self, claim: Claim) -> None:
        """Send a job back that this worker has claimed and will not run."""
        with suppress(Superseded):
            self.patiently(lambda: outcomes.give_back(self.connection, claim))

    def _wait(self) -> None:
        """Sleep until a queue of ours gets a job through Mandor, 0.8 s at the most for what other clients push."""
        self.stable.tidy()
        try:
            self.connection.blpop([keys.wake(name) for name in self.claimant.queues], timeout=IDLE_WAIT_S)
        except (*StoreAway, ResponseError):
            time.sleep(IDLE_WAIT_S)
