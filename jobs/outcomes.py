"""How an attempt ends. Each end is one script that checks the execution's right to speak and changes all at once."""

import base64
import zlib
from datetime import timedelta
from enum import StrEnum
from typing import Any

from redis import Redis
from rq.defaults import DEFAULT_RESULT_TTL

from jobs import keys, scripts
from jobs.caching import Filling
from jobs.claims import MILLISECOND, Claim, Superseded, speak, speech
from jobs.conf import conf
from jobs.scripts import Call


class Outcome(StrEnum):
    """How an attempt ended."""

    FINISHED = "finished"
    REFUSED_BY_CACHE = "finished, cache refused"
    DEPENDENTS = "has dependents"
    RETRIED = "retried"
    DEAD = "dead"
    REQUEUED = "requeued"
    STOPPED = "stopped"
    GAVE_WAY = "gave way"


def finish(client: Redis, claim: Claim, *, result: bytes | None, filling: Filling | None) -> Outcome:
    """End a job that ran to its end. `result` is the return value as the queue's serializer wrote it.

    Raises Superseded.
    """
    call = finish_call(claim, result=result, filling=filling)
    return read_finish(scripts.run_all(client, [call])[0], claim)


def read_finish(answer: Any, claim: Claim) -> Outcome:
    """Return what a finish call's answer says. Raises the error that it may be, or Superseded."""
    outcomes = {1: Outcome.FINISHED, 2: Outcome.REFUSED_BY_CACHE, -1: Outcome.DEPENDENTS}
    return _outcome(outcomes, scripts.checked(answer), claim)


def finish_call(
    claim: Claim,
    *,
    result: bytes | None,
    filling: Filling | None,
    default_ttl: int = DEFAULT_RESULT_TTL,
) -> Call:
    """Return the script call that ends a job as `finish` does.

    `default_ttl` is how long the record is kept where the job does not say it, in seconds.
    """
    encoded = base64.b64encode(result).decode() if result else ""
    more_keys = [keys.finished(claim.queue), keys.dependents(claim.job_id)]
    arguments: list[Any] = [encoded, claim.number("result_ttl", default_ttl)]
    if filling:
        more_keys += [
            keys.cache(filling.key),
            keys.cache_guard(filling.key),
            keys.refreshing(filling.key),
            keys.CACHE_INDEX,
            keys.CACHE_NAMESPACES,
        ]
        usable = filling.fresh_for + filling.stale_for
        arguments += [
            filling.key,
            filling.namespace,
            filling.value,
            claim.generation,
            filling.fresh_for // MILLISECOND,
            usable // MILLISECOND,
            conf().CACHE_MAX_BYTES,
        ]
    else:
        arguments += [""] * 7
    return speech("job_finish", claim, more_keys, arguments)


def fail(client: Redis, claim: Claim, *, error: str, traceback: str, delay: timedelta, lost: bool = False) -> Outcome:
    """End an attempt that failed: retried after `delay`, or dead when no retry is left. `lost`: its lease was.

    Raises Superseded.
    """
    arguments = [
        "lost" if lost else "failed",
        error,
        traceback,
        _rq_traceback(traceback),
        delay // MILLISECOND,
    ]
    answer = speak(client, "job_fail", claim, [keys.failed(claim.queue), keys.scheduled(claim.queue)], arguments)
    return _outcome({1: Outcome.RETRIED, 2: Outcome.DEAD, 3: Outcome.GAVE_WAY}, answer, claim)


def crash(client: Redis, claim: Claim, *, text: str) -> Outcome:
    """End an attempt whose horse ended without a word: back to its queue, or dead after too many.

    Raises Superseded.
    """
    answer = speak(client, "job_crash", claim, [], [conf().MAX_CRASHES, text, _rq_traceback(text)])
    return _outcome({1: Outcome.REQUEUED, 2: Outcome.DEAD, 3: Outcome.GAVE_WAY}, answer, claim)


def refuse(client: Redis, claim: Claim, *, text: str) -> Outcome:
    """Bury a job that this worker will not run, without having run anything of it.

    Raises Superseded.
    """
    answer = speak(client, "job_refuse", claim, [keys.failed(claim.queue)], ["refused", text, _rq_traceback(text)])
    return _outcome({1: Outcome.DEAD}, answer, claim)


def stop(client: Redis, claim: Claim) -> Outcome:
    """File a job whose horse was killed because a person stopped it, as RQ does: never retried.

    Raises Superseded.
    """
    text = "Job stopped by user, work-horse terminated."
    answer = speak(client, "job_refuse", claim, [keys.failed(claim.queue)], ["stopped", text, _rq_traceback(text)])
    return _outcome({1: Outcome.STOPPED}, answer, claim)


def give_back(client: Redis, claim: Claim) -> Outcome:
    """Send a job back to the front of its queue, with no attempt counted, because its worker must end.

    Raises Superseded.
    """
    outcomes = {1: Outcome.REQUEUED, 3: Outcome.GAVE_WAY}
    return _outcome(outcomes, speak(client, "job_return", claim, [], []), claim)


def settle(client: Redis, claim: Claim) -> str:
    """Free lock and marker after RQ's own code ended the execution; returns the job's status."""
    return str(speak(client, "job_settle", claim, [], []).decode())


def _outcome(outcomes: dict[int, Outcome], answer: int, claim: Claim) -> Outcome:
    if answer not in outcomes:
        message = f"{claim.job_id}: another execution holds this job now."
        raise Superseded(message)
    return outcomes[answer]


def _rq_traceback(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode())).decode()
