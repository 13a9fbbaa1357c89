"""The rows of the queues, from what RQ and Mandor write."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from rq import Queue
from rq.job import Job, JobStatus

from jobs import keys
from jobs.connection import store
from jobs.reads.queues import QueueRow, list_queues
from jobs.reads.tallies import Tally
from jobs.resolutions import FINE, MINUTES
from tests.past import remember


def row(name: str = "mail") -> QueueRow:
    return next(queue for queue in list_queues() if queue.name == name)


def enqueue(queue: str = "mail", count: int = 1) -> list[Job]:
    return [Queue(queue, connection=store()).enqueue("reports.build", n) for n in range(count)]


def schedule(job: Job, **fields: str) -> None:
    store().hset(keys.job(job.id), mapping={"status": "scheduled", **fields})
    store().zadd(keys.scheduled("mail"), {job.id: time.time() + 60})
    store().lrem(keys.queue("mail"), 0, job.id)


def test_a_queue_of_the_settings_is_there_before_its_first_job():
    assert {"billing", "mail", "reports"} <= {queue.name for queue in list_queues()}


def test_a_queue_counts_its_waiting_jobs_and_knows_its_oldest():
    first, _ = enqueue(count=2)

    queue = row()

    assert queue.counts.waiting == Tally(2)
    assert queue.oldest == first.enqueued_at


def test_a_parked_job_may_be_the_oldest():
    (job,) = enqueue()
    schedule(job, m_state="parked", m_parked="1700000000000")

    assert row().oldest == datetime.fromtimestamp(1_700_000_000, UTC)


def test_parked_jobs_are_waiting_and_retrying_ones_are_not_scheduled():
    parked, retrying, scheduled = enqueue(count=3)
    schedule(parked, m_state="parked")
    schedule(retrying, m_state="retrying")
    schedule(scheduled)

    counts = row().counts

    assert (counts.waiting, counts.parked, counts.retrying, counts.scheduled) == (Tally(1),) * 4


def test_a_stopped_job_is_no_dead_letter():
    dead, stopped = enqueue(count=2)
    for job, status in ((dead, JobStatus.FAILED), (stopped, JobStatus.STOPPED)):
        job.set_status(status)
        store().zadd(keys.failed("mail"), {job.id: time.time() + 60})

    assert row().counts.dead == Tally(1)
    assert row().counts.stopped == Tally(1)


def test_a_count_beyond_the_window_says_which_way_it_may_be_off():
    store().zadd(keys.scheduled("mail"), {f"job-{n}": n + 1 for n in range(51)})

    assert row().counts.retrying == Tally(0, "≥")
    assert row().counts.scheduled == Tally(51, "≤")


def test_a_worker_listens_until_it_is_gone():
    fresh = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    for name, heartbeat in (("alive", fresh), ("silent", "2020-01-01T00:00:00Z")):
        store().sadd(keys.WORKERS, keys.worker(name))
        store().hset(keys.worker(name), mapping={"queues": "mail,reports", "last_heartbeat": heartbeat})

    assert row("mail").workers == 1
    assert not row("billing").listened


def test_throughput_is_what_ended_over_the_newest_minute():
    for ago, ended in ((30, 2), (20, 3), (10, 5)):
        remember("mail", FINE, timedelta(seconds=ago), waiting=1, finished=ended, failed=1, over=10_000)
    remember("mail", FINE, timedelta(0), waiting=1)

    assert row().per_minute == 26


def test_throughput_is_unknown_where_nobody_takes_samples():
    remember("mail", FINE, timedelta(minutes=4), waiting=1, finished=5, failed=0, over=10_000)

    assert row().per_minute is None


def test_the_last_hour_leaves_out_the_minutes_without_a_sample():
    remember("mail", MINUTES, timedelta(minutes=10), waiting=7)
    remember("mail", MINUTES, timedelta(minutes=1), waiting=10)

    depths = row().depths

    assert (depths[-10], depths[-9], depths[-1], len(depths)) == (7, None, 10, 60)


def test_a_paused_queue_names_who_paused_it():
    store().hset(keys.paused("mail"), mapping={"by": "ana", "at": 1_700_000_000_000})

    assert row().paused
    assert row().paused_by == "ana"


@pytest.mark.parametrize("kind", [keys.queue, keys.started, keys.failed, keys.scheduled, keys.paused])
def test_a_key_of_another_type_reads_as_empty(kind):
    store().set(kind("mail"), "not what belongs here")

    assert row().counts.waiting == Tally(0)
