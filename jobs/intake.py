"""How a worker gets its jobs: it asks for one, or claims the next while it commits the one before."""

import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from redis.exceptions import ResponseError

from jobs import claims, outcomes, reclaims, scripts
from jobs.caching import Filling
from jobs.claims import Claim, Request
from jobs.memory import memory_used
from jobs.outcomes import Outcome

if TYPE_CHECKING:
    from jobs.worker import Worker

BEAT_S = 0.5


class Intake:
    """A worker's requests for jobs: the same one until it is answered, about twice a second with its heartbeat."""

    def __init__(self, worker: "Worker") -> None:
        self._worker = worker
        self._request = Request()
        self._beaten = float("-inf")
        self._asked_at = 0.0
        self._next: Claim | None = None

    def claim(self) -> Claim | None:
        """Return the next job, or None. Raises StoreAway, or Redis's refusal."""
        claim, self._next = self._next, None
        if claim:
            return claim
        (answer,) = scripts.run_all(self._worker.connection, [self._call()])
        return self._read(answer)

    def finish(self, claim: Claim, *, result: bytes | None, filling: Filling | None, last: bool) -> Outcome:
        """Commit a job that ran to its end and, unless it is the worker's last, claim the next in the same round trip.

        The next job is what `claim` then returns. Raises Superseded.
        """
        default = self._worker.default_result_ttl
        ending = outcomes.finish_call(claim, result=result, filling=filling, default_ttl=default)

        def send() -> list[Any]:
            calls = [ending] if last or self._worker.stopping else [ending, self._call()]
            return scripts.run_all(self._worker.connection, calls)

        answer, *following = self._worker.patiently(send)
        for taking in following:
            with suppress(ResponseError):  # what was wrong with it is met again, and logged, when it is asked for
                self._next = self._read(taking)
        return outcomes.read_finish(answer, claim)

    def rest(self) -> Claim | None:
        """Return the job that is claimed already, or was by a request whose answer is lost, for a worker that ends.

        Raises StoreAway, or Redis's refusal.
        """
        return self.claim() if self._next or self._request.again else None

    def forget_state(self) -> None:
        """Note that RQ's own code may have written the worker's state."""
        self._request = replace(self._request, state="")

    def _call(self) -> scripts.Call:
        wish = self._request
        if not wish.again:
            self._asked_at = time.monotonic()
        self._request = replace(wish, again=True)
        if time.monotonic() - self._beaten >= BEAT_S:
            self._beaten = time.monotonic()
            wish = replace(wish, memory=memory_used())
        return claims.claim_call(self._worker.claimant, wish)

    def _read(self, answer: Any) -> Claim | None:
        taking = claims.read_taking(answer, self._worker.claimant, self._request)
        self._request = Request(state="busy" if taking.claim else "idle")
        reclaims.log_reclaimed(taking.reclaimed)
        claims.log_parked(taking.parked)
        if not taking.known:
            self._worker.register_again()
        if taking.claim:
            taking.claim.asked_at = self._asked_at
            self._worker.serve_others_first(taking.claim.queue)
        return taking.claim
