"""Run one claimed job: may it run here, is its resource locked, ride it, commit how it went."""

import time
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from jobs import caching, claims, commits, foreign, horse, locks, outcomes, rides
from jobs.arguments import InvalidArguments
from jobs.claims import Claim, Superseded
from jobs.conf import conf
from jobs.connection import StoreAway
from jobs.logs import bind_job, log
from jobs.permits import Call, NotPermitted, permit

if TYPE_CHECKING:
    from jobs.worker import Worker


def run_claim(worker: "Worker", claim: Claim) -> None:
    """Run a claimed job to whatever end, and commit that end. Raises nothing that the job could cause."""
    with bind_job(
        job_id=claim.job_id,
        resource=claim.text("m_resource"),
        queue=claim.queue,
        worker=worker.name,
        attempt=claim.attempt,
    ):
        try:
            _run(worker, claim)
        except Superseded as error:
            log.warning("superseded", reason=str(error))


def _run(worker: "Worker", claim: Claim) -> None:
    queue = worker.queue_named(claim.queue)
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
    began = time.monotonic()
    if foreign.needs_rq(claim, worker):
        end = rides.ride(worker, claim, lambda pipe: foreign.run_in_rq(worker, claim, queue, pipe))
        commits.commit_foreign(worker, claim, end)
    else:
        timeout, cached = rides.time_limit(claim), bool(claim.text("m_cache"))

        def report(pipe: int) -> None:
            if claim.resource:
                limit = timedelta(seconds=timeout)
                locks.inherit(claim.resource, holder=worker.name, token=int(claim.token), max_duration=limit)
            horse.send_report(pipe, horse.run_call(call, queue.serializer, timeout=timeout, cached=cached))

        end = rides.ride(worker, claim, report)
        commits.commit(worker, claim, call, end, timedelta(seconds=time.monotonic() - began))
    if claim.resource:
        log.info("lock released", resource=claim.resource, held=round(time.monotonic() - began, 3))


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
