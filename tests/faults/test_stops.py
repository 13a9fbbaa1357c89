"""A worker that is told to stop at the worst moments: nothing is lost, no attempt counted."""

import time
from dataclasses import replace

import pytest
from rq.command import send_stop_job_command
from rq.serializers import JSONSerializer

from jobs import keys
from jobs.connection import store
from jobs.enqueueing import enqueue_job
from tests.factories import ECHO
from tests.waiting import eventually

PLAIN = "tests.samples.marked.plain"


def enqueue(name: str = PLAIN) -> str:
    return enqueue_job(name, {"seconds": 0.05} if name == PLAIN else {}).job_id


def state(job_id: str) -> bytes | None:
    return store().hget(keys.job(job_id), "status")


@pytest.mark.parametrize("lost", [False, True], ids=["answered", "answer lost"])
def test_a_job_that_came_with_the_end_of_the_one_before_goes_back_at_once(start, place, lossy, lost):
    first, second, third = enqueue(), enqueue(ECHO), enqueue()
    worker = start("rqworker", "mail", at=replace(place, url=lossy.url))

    def stop() -> None:
        worker.terminate()
        if lost:
            lossy.lose_next()

    lossy.before_reply(ECHO.encode(), stop)

    worker.join(20)

    assert worker.exitcode == 0
    assert [state(job) for job in (first, second, third)] == [b"finished", b"queued", b"queued"]
    assert store().lrange(keys.queue("mail"), 0, -1) == [second.encode(), third.encode()]
    assert store().hmget(keys.job(second), "m_crashes", "m_failures") == [None, None]
    assert store().zcard(keys.started("mail")) == 0


@pytest.mark.parametrize("sign", ["worker started", "taken"], ids=["idle", "at work"])
def test_a_worker_that_is_told_twice_to_stop_while_the_server_is_away_ends_in_good_order(
    start, place, own_server, sign
):
    here = replace(place, url=own_server.url)
    if sign == "taken":
        enqueue_job(PLAIN, {"seconds": 60})
    worker = start("rqworker", "mail", at=here)
    log = here.folder / f"{worker.pid}.log"
    eventually(lambda: log.exists() and sign in log.read_text())
    own_server.kill()

    worker.terminate()
    worker.join(0.5)
    worker.terminate()
    worker.join(10)

    assert worker.exitcode == 0
    assert "Traceback" not in log.read_text()


def test_an_idle_worker_that_is_told_once_to_stop_while_the_server_is_away_ends_when_its_claims_would_have_lapsed(
    start, place, own_server
):
    here = replace(place, url=own_server.url)
    worker = start("rqworker", "mail", at=here)
    log = here.folder / f"{worker.pid}.log"
    eventually(lambda: log.exists() and "worker started" in log.read_text())
    own_server.kill()
    eventually(lambda: "Redis is away" in log.read_text())

    worker.terminate()
    worker.join(20)

    assert worker.exitcode == 0
    assert "Traceback" not in log.read_text()


def test_a_command_to_stop_a_job_whose_claim_is_on_the_way_does_not_end_the_worker(start, place, lossy):
    before = [enqueue() for _ in range(2)]  # the second finish is one that the server knows the script of
    job = enqueue(ECHO)
    worker = start("rqworker", "mail", at=replace(place, url=lossy.url))

    def stop_it() -> None:
        send_stop_job_command(store(), job, serializer=JSONSerializer)
        time.sleep(0.5)  # while the worker hears of it and has no horse at work

    lossy.before_reply(ECHO.encode(), stop_it)

    eventually(lambda: {state(each) for each in (*before, job)} <= {b"finished", b"stopped"})
    assert worker.is_alive()
