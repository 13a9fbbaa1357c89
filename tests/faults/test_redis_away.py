"""The server goes away and comes back, or refuses for a while: workers stay, and what is done is not done again."""

import time
from collections import Counter
from dataclasses import replace

import pytest
from rq import Callback

from jobs import keys
from jobs.connection import store
from jobs.enqueueing import enqueue_job
from jobs.queue import Queue
from tests.faults.marks import MarkReader
from tests.waiting import eventually

AWAY_S = 4.0
"""Twice the visibility timeout."""


@pytest.fixture
def here(place, own_server):
    return replace(place, url=own_server.url)


@pytest.fixture
def marks(here) -> MarkReader:
    return MarkReader(here.marks)


def enqueue(seconds: float, kind: str = "plain", **arguments: int) -> str:
    return enqueue_job(f"tests.samples.marked.{kind}", {"seconds": seconds, **arguments}).job_id


def state(job_id: str) -> bytes | None:
    return store().hget(keys.job(job_id), "status")


def seen(marks: MarkReader) -> dict[str, int]:
    marks.read_on()
    return Counter(mark.what for mark in marks.marks)


def check_done_once(marks: MarkReader, *jobs: str) -> None:
    """Each job ran once, to its end, and is on record as that."""
    eventually(lambda: {state(job) for job in jobs} == {b"finished"})
    assert seen(marks) == {"began": len(jobs), "ended": len(jobs)}
    assert [store().hmget(keys.job(job), "m_crashes", "m_failures") for job in jobs] == [[None, None]] * len(jobs)
    assert store().hget(keys.counts("mail"), "finished") == str(len(jobs)).encode()


@pytest.mark.parametrize("times", [(3.0, 0.0), (1.0, AWAY_S), (AWAY_S + 1, AWAY_S)], ids=["restart", "end", "middle"])
def test_a_server_that_is_away_in_the_middle_of_a_job_or_at_its_end(start, here, own_server, marks, times):
    takes, away = times
    workers = [start("rqworker", "mail", at=here) for _ in range(2)]
    eventually(lambda: store().scard(keys.WORKERS) == len(workers))
    job = enqueue(takes)
    eventually(lambda: seen(marks)["began"])

    own_server.kill()
    time.sleep(away)
    own_server.start()

    check_done_once(marks, job, enqueue(0))
    assert all(worker.is_alive() for worker in workers)


def test_a_lease_that_lapsed_while_the_server_was_away_goes_on_when_nobody_took_the_lock(
    start, here, own_server, marks
):
    worker = start("rqworker", "reports", at=here)
    job = enqueue(AWAY_S + 1, "locked", resource=1)
    eventually(lambda: seen(marks)["began"])

    own_server.kill()
    time.sleep(AWAY_S)
    own_server.start()

    eventually(lambda: state(job) == b"finished")
    assert seen(marks) == {"began": 1, "ended": 1}
    assert worker.is_alive()


def test_a_job_that_rqs_own_code_ends_runs_again_when_the_server_was_away_at_its_end(start, here, own_server, marks):
    worker = start("rqworker", "mail", at=here)
    after = Callback("tests.samples.callbacks.note_result")
    job = Queue("mail", connection=store()).enqueue("tests.samples.marked.plain", seconds=1.0, on_success=after).id
    eventually(lambda: seen(marks)["began"])

    own_server.kill()
    time.sleep(AWAY_S)
    own_server.start()

    eventually(lambda: state(job) == b"finished")
    assert seen(marks) == {"began": 2, "ended": 2}
    assert worker.is_alive()


REFUSALS = {
    "full": (("CONFIG", "SET", "maxmemory", "1"), ("CONFIG", "SET", "maxmemory", "0")),
    "read only": (("REPLICAOF", "127.0.0.1", "1"), ("REPLICAOF", "NO", "ONE")),
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_a_server_that_refuses_to_write_for_a_while(start, here, own_server, marks, refusal):
    refuse, relent = refusal
    first, second = enqueue(1.5), enqueue(0)
    worker = start("rqworker", "mail", at=here)
    eventually(lambda: seen(marks)["began"])

    store().execute_command(*refuse)
    eventually(lambda: seen(marks)["ended"])
    time.sleep(1)
    store().execute_command(*relent)

    check_done_once(marks, first, second)
    assert worker.is_alive()
