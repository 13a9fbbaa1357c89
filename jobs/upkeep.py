"""The periodic work that one elected process does for all: due jobs, lapsed claims, stuck locks, history.

Every worker stands for election in a thread of its own, so that a leader is replaced also while all workers are busy;
so does `manage.py upkeep`. Where no Mandor worker serves a queue, its jobs are only counted, never moved, unless
`MANDOR["ADOPT"]` says so.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import ParamSpec, TypeVar

from django.conf import settings
from redis import Redis

from jobs import empties, history, keys, rounds, scripts, stuck
from jobs.conf import conf
from jobs.connection import StoreAway
from jobs.logs import log
from jobs.names import decoded

TERM = timedelta(seconds=6)
STAND_EVERY_S = 2.0
RECONNECT_S = 0.5
COMPLAIN_EVERY_S = 60.0
NOW_AND_THEN_S = 5.0

LONGEST_SLEEP_S = 0.9
"""A job that is due within a second of being scheduled wakes the leader."""
SHORTEST_SLEEP_S = 0.02
LATE_S = 0.1
"""By so much a server may be late to end a block."""

P = ParamSpec("P")
T = TypeVar("T")


class Upkeep:
    """One candidate for the upkeep. `queues` are those it serves itself, if it is a worker."""

    def __init__(self, client: Redis, *, name: str, queues: Sequence[str] = ()) -> None:
        self.client = client
        self.name = f"{keys.OURS}:{name}"
        self.own_queues = list(queues)
        self.all_queues: list[str] = []
        self.served = list(queues)
        self.leads = False
        self._done: dict[str, float] = {}
        self._complained: dict[str, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self.run, name="upkeep", daemon=True)

    @contextmanager
    def standing(self) -> Iterator[None]:
        """Stand for election in a thread inside the block; then step down, so that another takes over soon."""
        self._thread.start()
        try:
            yield
        finally:
            self._stop.set()
            if self.leads:
                with suppress(*StoreAway):
                    self._wake()
            self._thread.join(timeout=5)

    def run(self) -> None:
        """Stand for election and do the work whenever elected, until stopped; Redis may go and come back meanwhile."""
        wait_s = 0.0
        while not self._stop.is_set():
            rest, wait_s = self._rest(wait_s), 0.0
            try:
                wait_s = self.step(rest)
            except StoreAway as error:
                log.warning("upkeep waits, Redis is away", error=str(error))
                self._stop.wait(RECONNECT_S)
            except Exception:  # noqa: BLE001  one bad record must not end the upkeep
                log.exception("upkeep failed")
                self._stop.wait(RECONNECT_S)
        try:
            moved = [keys.scheduler_lock(queue) for queue in self.served]
            scripts.run(self.client, "upkeep_resign", [keys.LEADER, *moved], [self.name])
        except StoreAway:
            log.info("upkeep ends without stepping down, Redis is away")

    def step(self, after: scripts.Rest | None = None) -> float:
        """Do one round if elected, after a rest if one is given; returns after how many seconds the next one is due."""
        done = rounds.go_round(self.client, self.served, candidate=self.name, term=TERM, after=after)
        self.leads = done is not None
        if done is None:
            return STAND_EVERY_S * random.uniform(0.8, 1.2)  # noqa: S311  spreads load, hides nothing
        served = self.served
        self._now_and_then("survey", self._survey)
        self._now_and_then("stuck locks", stuck.report_stuck, self.client)
        self._now_and_then("history", history.sample, self.client, self.all_queues)
        if served != self.served:
            return SHORTEST_SLEEP_S
        if done.is_full:
            self.served = [*served[1:], *served[:1]]
        if done.finds_emptied and not empties.remove_emptied(self.client, within=empties.MOMENT):
            return SHORTEST_SLEEP_S
        wait = LONGEST_SLEEP_S if done.next_due is None else done.next_due.total_seconds()
        return min(max(wait, SHORTEST_SLEEP_S), LONGEST_SLEEP_S)

    def _rest(self, seconds: float) -> scripts.Rest | None:
        """Sleep; or, for a leader, return a rest from which a job wakes it that is due before it would look again."""
        if not self.leads or seconds < 2 * LATE_S:
            self._stop.wait(seconds)
            return None
        return scripts.Rest(keys.UPKEEP_WAKE, seconds if seconds == LONGEST_SLEEP_S else seconds - LATE_S)

    def _wake(self) -> None:
        pipe = self.client.pipeline(transaction=False)
        pipe.lpush(keys.UPKEEP_WAKE, 1)
        pipe.pexpire(keys.UPKEEP_WAKE, TERM)
        pipe.execute()

    def _now_and_then(self, part: str, work: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Do one part of the work if it is time. What goes wrong is logged once a minute and harms no other part."""
        if time.monotonic() - self._done.get(part, float("-inf")) < NOW_AND_THEN_S:
            return
        self._done[part] = time.monotonic()
        try:
            work(*args, **kwargs)
        except StoreAway:
            raise
        except Exception:  # noqa: BLE001  one bad record must not end the upkeep
            if time.monotonic() - self._complained.get(part, float("-inf")) > COMPLAIN_EVERY_S:
                self._complained[part] = time.monotonic()
                log.exception("upkeep failed", part=part)

    def _survey(self) -> None:
        """Learn which queues there are, and which of them Mandor's workers serve."""
        known = sorted({*settings.RQ_QUEUES, *self.own_queues})
        every, served = scripts.run(
            self.client,
            "upkeep_survey",
            [keys.QUEUES, keys.WORKERS, keys.UPKEEP],
            [self.name, int(conf().ADOPT), len(self.own_queues), *self.own_queues, *known],
        )
        self.all_queues = sorted(map(decoded, every))
        now_served = set(map(decoded, served))
        if now_served != set(self.served):
            self.served = sorted(now_served)
