"""One job's page: why it waits, what happened to it, each attempt."""

import base64
import json
import zlib
from datetime import UTC, datetime, timedelta

import pytest
from rq import Queue
from rq.serializers import JSONSerializer
from rq.utils import utcformat

from jobs import keys
from jobs.connection import store
from jobs.reads.job import JobDetail, find_job
from jobs.retries import retry_job
from tests.factories import bury, enqueue, finish, hold, park, see, start


def detail(job_id: str) -> JobDetail:
    found = find_job(job_id)
    assert found is not None
    return found


def reason(job_id: str) -> str:
    found = detail(job_id).reason
    assert found is not None
    return found.kind


def listen(queue: str) -> None:
    heartbeat = utcformat(datetime.now(UTC))
    store().sadd(keys.WORKERS, keys.worker("w"))
    store().hset(keys.worker("w"), mapping={"queues": queue, "last_heartbeat": heartbeat})


def test_an_unknown_job_is_none():
    assert find_job("nothing") is None


def test_a_job_waits_because_no_worker_listens():
    (job_id,) = enqueue(text="x")

    assert reason(job_id) == "unheard"


def test_a_job_waits_behind_those_before_it():
    _, job_id = enqueue(count=2, text="x")
    listen(detail(job_id).row.queue)

    assert reason(job_id) == "behind"
    assert detail(job_id).reason.around.place == 1


def test_a_job_waits_because_its_queue_is_paused():
    (job_id,) = enqueue(text="x")
    store().hset(keys.paused(detail(job_id).row.queue), mapping={"by": "ana", "at": 1})

    assert reason(job_id) == "paused"
    assert detail(job_id).reason.around.paused_by == "ana"


def test_a_parked_job_waits_for_a_lock_and_names_its_holder():
    hold("report:42", holder="ann")
    job_id = park()

    assert reason(job_id) == "locked"
    assert detail(job_id).reason.around.lock_holder == "ann"


def test_a_running_job_has_no_reason():
    (job_id,) = enqueue(text="x")
    start()

    assert detail(job_id).reason is None
    assert detail(job_id).row.verdict == "alive"


def test_the_timeline_starts_with_the_enqueueing():
    (job_id,) = enqueue(text="x")
    finish(start())

    timeline = detail(job_id).timeline

    assert [entry.what for entry in timeline] == ["enqueued", "taken", "finished"]
    assert timeline[0].after is None


def test_a_step_says_how_long_after_the_one_before_it_came():
    (job_id,) = enqueue(text="x")
    enqueued = detail(job_id).timeline[0].at
    at = enqueued + timedelta(seconds=3)
    store().rpush(keys.timeline(job_id), json.dumps({"at": at.timestamp() * 1000, "what": "taken"}))

    assert detail(job_id).timeline[1].after == timedelta(seconds=3)


def test_the_time_of_the_first_enqueueing_stays_after_a_retry_by_hand():
    job_id = bury()
    first = detail(job_id).enqueued

    retry_job(see(job_id), by="ana")

    assert detail(job_id).enqueued < detail(job_id).row.enqueued
    assert abs(detail(job_id).enqueued - first) < timedelta(seconds=1)


def test_each_attempt_has_its_traceback():
    job_id = bury(text="x")

    attempts = detail(job_id).attempts

    assert [attempt.number for attempt in attempts] == [4, 3, 2, 1]
    assert {attempt.outcome for attempt in attempts} == {"failed"}
    assert "no such address" in attempts[0].traceback


def test_a_json_result_is_shown_and_masked():
    (job_id,) = enqueue(text="x")
    finish(start(), b'{"rows": 3, "password": "hunter2"}')

    returned = detail(job_id).returned

    assert '"rows": 3' in returned
    assert "hunter2" not in returned


def test_a_pickled_result_is_not_opened():
    (job_id,) = enqueue(text="x")
    finish(start(), b"\x80\x04N.")

    assert detail(job_id).returned == ""
    assert detail(job_id).not_shown


def test_a_stock_jobs_traceback_comes_from_rqs_results():
    job = Queue("mail", connection=store(), serializer=JSONSerializer).enqueue("reports.build")
    trace = base64.b64encode(zlib.compress(b"Traceback\nKeyError: 'id'\n"))
    store().xadd(keys.results(job.id), {"type": 2, "exc_string": trace, "worker_name": "w"})

    (attempt,) = detail(job.id).attempts

    assert (attempt.outcome, attempt.error, attempt.worker) == ("failed", "KeyError: 'id'", "w")


@pytest.mark.parametrize("exc", [b"not base64!", base64.b64encode(b"not zlib"), b"\xff\xfe"])
def test_a_traceback_that_cannot_be_decoded_says_so(exc):
    (job_id,) = enqueue(text="x")
    store().xadd(keys.results(job_id), {"type": 2, "exc_string": exc})

    assert "cannot be decoded" in detail(job_id).attempts[0].traceback


def test_what_happened_is_told_although_the_record_is_gone():
    job_id = bury(text="x")
    store().delete(keys.job(job_id))

    assert detail(job_id).row.gone
    assert detail(job_id).attempts


def test_a_worker_of_another_queue_does_not_listen():
    (job_id,) = enqueue(text="x")
    listen("elsewhere")

    assert reason(job_id) == "unheard"
