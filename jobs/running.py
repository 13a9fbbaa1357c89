"""Run one claimed job: may it run here, is its resource locked, ride it, commit how it went."""

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from redis.exceptions import ResponseError

from jobs import caching, claims, commits, foreign, outcomes, rides
from jobs.arguments import InvalidArguments
from jobs.claims import Claim, Superseded
from jobs.conf import conf
from jobs.connection import StoreAway
from jobs.horses.messages import Kind, Order
from jobs.logs import bind_job, log
from jobs.permits import Call, NotPermitted, permit

if TYPE_CHECKING:
    from jobs.worker import Worker


def run_claim(worker: "Worker", claim: Claim, *, last: bool = False) -> None:
    """Run a claimed job to whatever end, and commit that end. Raises nothing that the job could cause.

    `last`: the worker wants no other job after it.
    """
    with bind_job(
        job_id=claim.job_id,
        resource=claim.text("m_resource"),
        queue=claim.queue,
        worker=worker.name,
        attempt=claim.attempt,
    ):
        try:
            _run(worker, claim, last=last)
        except Superseded as error:
            log.warning("superseded", reason=str(error))
        except ResponseError:
            log.exception("not committed")  # a broken record: the claim lapses, and who takes the job back buries it


def _run(worker: "Worker", claim: Claim, *, last: bool) -> None:
    queue = worker.queue_named(claim.queue)
    _check_in_time(worker, claim)
    try:
        call = permit(claim, queue.serializer)
        claim.name = call.name
        if not _locked(worker, claim, call):
            log.info("lock busy", resource=claim.text("m_resource"))
            return
    except (NotPermitted, InvalidArguments) as error:
        text = str(error)
        worker.patiently(lambda: outcomes.refuse(worker.connection, claim, text=text))
        log.error("dead", job=claim.name, reason=text)
        return

    log.info("taken", job=claim.name, resource=claim.resource)
    if claim.resource:
        log.info("lock acquired", resource=claim.resource, token=claim.token)
    _begin_refresh(claim)
    by_rq = foreign.needs_rq(claim, worker)
    end = rides.ride(worker, Order(Kind.RQ if by_rq else Kind.CALL, claim, rides.time_limit(claim)))
    if by_rq:
        commits.commit_foreign(worker, claim, end)
    else:
        commits.commit(worker, claim, call, end, last=last)
    if claim.resource:
        log.info("lock released", resource=claim.resource, held=round(end.took.total_seconds(), 3))


def _check_in_time(worker: "Worker", claim: Claim) -> None:
    """Begin nothing on a claim that lapsed while this process, or its answer, was held up. Raises Superseded."""
    if time.monotonic() - claim.asked_at > conf().VISIBILITY_TIMEOUT.total_seconds():
        worker.patiently(lambda: foreign.check_holds(worker, claim.queue, claim.member))


def _locked(worker: "Worker", claim: Claim, call: Call) -> bool:
    """Lock what the registration names when the record, written by another RQ client, does not."""
    if claim.resource or call.job is None:
        return True
    arguments = call.job.bind(tuple(call.args), call.kwargs)
    resource = call.job.resource(arguments)
    if not resource:
        return True
    cache = call.job.cache_key(arguments) or ""
    claim.record["m_resource"], claim.record["m_cache"] = resource.encode(), cache.encode()
    return worker.patiently(
        lambda: claims.lock_resource(worker.connection, claim, worker.claimant, resource=resource, cache=cache),
    )


def _begin_refresh(claim: Claim) -> None:
    """Take the refreshing marker where the cache lies on a server of its own, out of reach of the claim's script."""
    key = claim.text("m_cache")
    if key and conf().CACHE_URL:
        with suppress(*StoreAway):
            lease = conf().VISIBILITY_TIMEOUT
            claim.generation = caching.begin_from_job(key, token=claim.token, by=claim.job_id, lease=lease)
