"""A worker that is frozen for longer than its claim lasts, and then goes on: what it says comes too late."""

import base64
import json
import os
import signal
from collections.abc import Callable
from dataclasses import replace

import pytest
from rq import Callback

from jobs import keys
from jobs.connection import store
from jobs.enqueueing import enqueue_job
from jobs.queue import Queue
from tests import factories
from tests.faults.crews import horses_of, pid_of
from tests.faults.marks import MarkReader, Run, runs_of
from tests.waiting import eventually

SECONDS = 1.0
CACHED = "tests.samples.marked.cached"


def enqueue_cached() -> str:
    return enqueue_job(CACHED, {"entry": 1, "seconds": SECONDS}).job_id


def enqueue_with_callback() -> str:
    """A job that RQ's own code ends, in the horse."""
    after = Callback("tests.samples.callbacks.note_result")
    return (
        Queue("billing", connection=store()).enqueue("tests.samples.marked.plain", seconds=SECONDS, on_success=after).id
    )


def where_its_value_is(job: str) -> set[str]:
    """Return the runs whose value can be seen: in RQ's results, in the cache, and where the callback left it."""
    results = [json.loads(base64.b64decode(row[b"return_value"])) for _, row in store().xrange(keys.results(job))]
    entry, noted = store().get(keys.cache("marked:1")), store().get("noted")
    return {
        *results,
        *([json.loads(entry)["value"]] if entry else []),
        *([noted.decode()] if noted else []),
    }


@pytest.mark.parametrize(
    ("enqueue", "with_its_horse"),
    [(enqueue_cached, True), (enqueue_cached, False), (enqueue_with_callback, True)],
)
def test_a_late_result_is_refused_whole(start, place, enqueue: Callable[[], str], with_its_horse: bool):
    marks = MarkReader(place.marks)

    def runs() -> list[Run]:
        marks.read_on()
        return list(runs_of(marks.marks))

    job = enqueue()
    frozen = start("rqworker", "billing", "mail")
    eventually(runs)
    pids = [pid_of(frozen), *(horses_of(frozen) if with_its_horse else [])]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    start("rqworker", "billing")
    eventually(lambda: store().hget(keys.job(job), "status") == b"finished")

    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    (after,) = factories.enqueue()
    eventually(lambda: store().hget(keys.job(after), "status") == b"finished")

    assert [run.worker == frozen.pid for run in runs()] == [True, False]
    assert where_its_value_is(job) == {runs()[-1].name}
    assert store().xlen(keys.results(job)) == 1
    assert store().hmget(keys.counts("billing"), "finished", "crashed") == [b"1", b"1"]


def test_a_worker_that_was_frozen_with_its_claim_on_the_way_begins_nothing(start, place, lossy):
    marks = MarkReader(place.marks)
    job = enqueue_job(CACHED, {"entry": 1, "seconds": 0}).job_id
    frozen = start("rqworker", "billing", "mail", at=replace(place, url=lossy.url))
    lossy.before_reply(CACHED.encode(), lambda: os.kill(pid_of(frozen), signal.SIGSTOP))
    eventually(lambda: store().zcard(keys.started("billing")))
    start("rqworker", "billing")
    eventually(lambda: store().hget(keys.job(job), "status") == b"finished")

    os.kill(pid_of(frozen), signal.SIGCONT)
    (after,) = factories.enqueue()
    eventually(lambda: store().hget(keys.job(after), "status") == b"finished")

    assert [mark.what for mark in marks.read_on()] == ["began", "ended"]


def test_a_job_that_takes_longer_than_a_claim_lasts_runs_once(start, place):
    marks = MarkReader(place.marks)
    job = enqueue_job(CACHED, {"entry": 1, "seconds": 5.0}).job_id

    for _ in range(2):
        start("rqworker", "billing")

    eventually(lambda: store().hget(keys.job(job), "status") == b"finished")
    assert [mark.what for mark in marks.read_on()] == ["began", "ended"]
