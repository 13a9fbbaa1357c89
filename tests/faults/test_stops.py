"""A worker that is told to stop at the worst moments: nothing is lost, no attempt counted."""

from dataclasses import replace

import pytest

from jobs import keys
from jobs.connection import store
from jobs.enqueueing import enqueue_job

PLAIN = "tests.samples.marked.plain"


def enqueue(seconds: float = 0.05) -> str:
    return enqueue_job(PLAIN, {"seconds": seconds}).job_id


def state(job_id: str) -> bytes | None:
    return store().hget(keys.job(job_id), "status")


@pytest.mark.parametrize("lost", [False, True], ids=["answered", "answer lost"])
def test_a_job_that_came_with_the_end_of_the_one_before_goes_back_at_once(start, place, lossy, lost):
    first, second, third = (enqueue() for _ in range(3))
    worker = start("rqworker", "mail", at=replace(place, url=lossy.url))

    def stop() -> None:
        worker.terminate()
        if lost:
            lossy.lose_next()

    lossy.before_reply(second.encode(), stop)

    worker.join(20)

    assert worker.exitcode == 0
    assert [state(job) for job in (first, second, third)] == [b"finished", b"queued", b"queued"]
    assert store().lrange(keys.queue("mail"), 0, -1) == [second.encode(), third.encode()]
    assert store().hmget(keys.job(second), "m_crashes", "m_failures") == [None, None]
    assert store().zcard(keys.started("mail")) == 0
