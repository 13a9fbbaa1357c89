"""The periodic work that one elected process does for all: due jobs, lapsed claims, stuck locks, history.

Every worker stands for election in a thread of its own, so that a leader is replaced also while all workers are busy;
so does `manage.py upkeep`. Where no Mandor worker serves a queue, its jobs are only counted, never moved, unless
`MANDOR["ADOPT"]` says so.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from redis import Redis

from jobs import due, history, keys, reclaims, scripts, stuck
from jobs.conf import conf
from jobs.connection import StoreAway
from jobs.logs import log

TERM_MS = 6000
TICK_S = 0.5
SHORTEST_TICK_S = 0.02
RECONNECT_S = 0.5
SURVEY_EVERY_S = 5.0
COMPLAIN_EVERY_S = 60.0

P = ParamSpec("P")
T = TypeVar("T")


class Upkeep:
    """One candidate for the upkeep. `queues` are those it serves itself, if it is a worker."""

    def __init__(self, client: Redis, *, name: str, queues: Sequence[str] = ()) -> None:
        self.client = client
        self.name = f"{keys.OURS}:{name}"
        self.own_queues = set(queues)
        self.all_queues: list[str] = []
        self.served: list[str] = []
        self._surveyed = float("-inf")
        self._complained: dict[str, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self.run, name="upkeep", daemon=True)

    def start(self) -> None:
        """Stand for election in a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Step down, so that another takes over at once."""
        self._stop.set()
        self._thread.join(timeout=5)

    def run(self) -> None:
        """Stand for election and do the work whenever elected, until stopped; Redis may go and come back meanwhile."""
        wait = 0.0
        while not self._stop.wait(wait):
            try:
                wait = self.step()
            except StoreAway as error:
                log.warning("upkeep waits, Redis is away", error=str(error))
                wait = RECONNECT_S
            except Exception:  # noqa: BLE001  one bad record must not end the upkeep
                log.exception("upkeep failed")
                wait = RECONNECT_S
        try:
            moved = [keys.scheduler_lock(queue) for queue in self.served]
            scripts.run(self.client, "leader_elect", [keys.LEADER, *moved], [self.name, 0])
        except StoreAway:
            log.info("upkeep ends without stepping down, Redis is away")

    def step(self) -> float:
        """Do one round if elected; returns after how many seconds the next one is due."""
        if not scripts.run(self.client, "leader_elect", [keys.LEADER], [self.name, TERM_MS]):
            return TICK_S
        if time.monotonic() - self._surveyed >= SURVEY_EVERY_S:
            self._do("survey", self._survey)
        waits = [self._do("due jobs", due.move_due, self.client, queue, mover=self.name) for queue in self.served]
        for queue in self.served:
            reclaims.log_reclaimed(self._do("lapsed claims", reclaims.reclaim, self.client, [queue]) or [])
        self._do("stuck locks", stuck.report_stuck, self.client)
        self._do("history", history.sample, self.client, self.all_queues)
        return max(min((wait for wait in waits if wait is not None), default=TICK_S), SHORTEST_TICK_S)

    def _do(self, part: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Do one part of a round. What goes wrong is logged once a minute and keeps no other part from its work."""
        try:
            return work(*args, **kwargs)
        except StoreAway:
            raise
        except Exception:  # noqa: BLE001  one bad record must not end the upkeep
            if time.monotonic() - self._complained.get(part, float("-inf")) > COMPLAIN_EVERY_S:
                self._complained[part] = time.monotonic()
                log.exception("upkeep failed", part=part)
            return None

    def _survey(self) -> None:
        """Learn which queues there are, and which of them Mandor's workers serve."""
        self.all_queues = history.list_queue_names(self.client)
        served = _served_by_mandor(self.client, self.all_queues) | self.own_queues
        self.served = self.all_queues if conf().ADOPT else sorted(served)
        pipe = self.client.pipeline(transaction=False)
        clock_s, micro = self.client.time()
        pipe.hset(
            keys.UPKEEP,
            mapping={"leader": self.name, "at": clock_s * 1000 + micro // 1000, "moves": int(bool(self.served))},
        )
        pipe.execute()
        self._surveyed = time.monotonic()


def _served_by_mandor(client: Redis, queues: list[str]) -> set[str]:
    """Return the queues a Mandor worker listens to; the records of workers that are long gone are removed."""
    pipe = client.pipeline(transaction=False)
    for queue in queues:
        pipe.smembers(keys.queue_workers(queue))
    listeners = dict(zip(queues, pipe.execute(), strict=True))
    workers = sorted({worker for members in listeners.values() for worker in members})
    pipe = client.pipeline(transaction=False)
    for worker in workers:
        pipe.hmget(worker, "m_version", "birth")
    records = dict(zip(workers, pipe.execute(), strict=True))
    gone = [worker for worker, (_, birth) in records.items() if birth is None]
    if gone:
        for queue in queues:
            pipe.srem(keys.queue_workers(queue), *gone)
        pipe.srem(keys.WORKERS, *gone)
        pipe.execute()
    ours = {worker for worker, (version, _) in records.items() if version}
    return {queue for queue, members in listeners.items() if members & ours}
