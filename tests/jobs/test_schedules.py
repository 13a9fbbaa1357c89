"""Running what is scheduled before its time."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from jobs import keys, schedules
from jobs.connection import store
from jobs.registry import UnknownJob
from tests.factories import start
from tests.samples.jobs import echo

ECHO = "tests.samples.jobs.echo"
HOUR = timedelta(hours=1)


def schedule(delay: timedelta = HOUR) -> tuple[str, datetime]:
    job_id = echo.enqueue_in(delay).job_id
    return job_id, due_of(job_id)


def due_of(job_id: str) -> datetime:
    score = store().zscore(keys.scheduled("mail"), job_id)
    assert score is not None
    return datetime.fromtimestamp(score, UTC)


def test_a_scheduled_job_goes_to_its_queue_at_once():
    job_id, due = schedule()

    schedules.run_scheduled(job_id, by="ana", due=due)

    assert start("mail").job_id == job_id
    assert store().zcard(keys.scheduled("mail")) == 0
    assert b"run by hand" in store().lrange(keys.timeline(job_id), 0, 0)[0]


def test_of_many_who_run_it_only_one_does():
    job_id, due = schedule()

    def run(_: int) -> bool:
        try:
            schedules.run_scheduled(job_id, by="ana", due=due)
        except schedules.NotScheduled:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(run, range(40))) == 1
    assert store().llen(keys.queue("mail")) == 1


def test_a_job_that_was_given_another_time_is_left_alone():
    job_id, due = schedule()

    with pytest.raises(schedules.Rescheduled):
        schedules.run_scheduled(job_id, by="ana", due=due + timedelta(seconds=1))

    assert due_of(job_id) == due


def test_a_job_with_a_rate_limit_is_rqs_own():
    job_id, due = schedule()
    store().hset(keys.job(job_id), "rate_limit_key", "api")

    with pytest.raises(schedules.RateLimited):
        schedules.run_scheduled(job_id, by="ana", due=due)


def test_a_due_job_that_a_foreign_scheduler_is_about_to_move_is_left_to_it():
    job_id, _ = schedule()
    store().zadd(keys.scheduled("mail"), {job_id: 1_700_000_000})
    store().set(keys.scheduler_lock("mail"), "web-1:7")

    with pytest.raises(schedules.AboutToRun):
        schedules.run_scheduled(job_id, by="ana", due=due_of(job_id))

    store().set(keys.scheduler_lock("mail"), "mandor:web-1")
    schedules.run_scheduled(job_id, by="ana", due=due_of(job_id))


def test_a_parked_job_waits_for_its_lock_and_not_for_a_time():
    job_id, due = schedule()
    store().hset(keys.job(job_id), "m_state", "parked")

    with pytest.raises(schedules.NotScheduled):
        schedules.run_scheduled(job_id, by="ana", due=due)


def test_a_cron_job_is_enqueued_and_remembered_as_rq_does():
    job_id = schedules.run_cron("hourly", ECHO, {"text": "hi"}, by="ana", last=None)

    claim = start("mail")
    assert claim.job_id == job_id
    assert claim.text("m_from") == "cron job hourly, run by ana"
    assert store().zrange(keys.cron_history("hourly"), 0, -1) == [job_id.encode()]
    assert store().zscore(keys.CRON_JOBS, "hourly")


def test_of_many_clicks_on_a_cron_job_only_one_runs_it():
    def run(_: int) -> bool:
        try:
            schedules.run_cron("hourly", ECHO, {}, by="ana", last=None)
        except schedules.Rescheduled:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(run, range(20))) == 1


def test_a_cron_job_can_run_again_by_who_saw_that_it_ran():
    schedules.run_cron("hourly", ECHO, {}, by="ana", last=None)
    score = store().zscore(keys.CRON_JOBS, "hourly")
    assert score is not None

    schedules.run_cron("hourly", ECHO, {}, by="ana", last=datetime.fromtimestamp(score, UTC))

    assert store().llen(keys.queue("mail")) == 2


def test_a_function_that_is_no_registered_job_is_not_run():
    with pytest.raises(UnknownJob):
        schedules.run_cron("hourly", "os.system", {"command": "true"}, by="ana", last=None)

    assert not store().exists(keys.CRON_JOBS)
