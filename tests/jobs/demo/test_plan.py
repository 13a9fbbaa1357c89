"""The plan of the traffic."""

from datetime import timedelta
from itertools import takewhile

from jobs.demo.plan import Call, plan_calls
from jobs.registry import find_job, list_jobs

MINUTE = timedelta(minutes=1)


def first_minutes(seed: int, minutes: int) -> list[Call]:
    return list(takewhile(lambda call: call.at < minutes * MINUTE, plan_calls(seed)))


def test_the_same_seed_gives_the_same_plan():
    assert first_minutes(1, 3) == first_minutes(1, 3)
    assert first_minutes(1, 3) != first_minutes(2, 3)


def test_within_half_a_minute_every_job_of_the_demo_is_called():
    called = {call.job.name for call in takewhile(lambda call: call.at < MINUTE / 2, plan_calls(1))}

    assert called == {job.name for job in list_jobs() if job.name.startswith("jobs.demo.")}


def test_every_call_is_one_that_its_registered_job_takes():
    for call in first_minutes(1, 10):
        assert find_job(call.job.name) is call.job
        assert call.job.bind((), call.arguments) == call.arguments


def test_calls_come_in_the_order_of_their_times_and_at_most_three_a_second():
    times = [call.at for call in first_minutes(1, 10)]

    assert times == sorted(times)
    assert len(times) < 10 * 60 * 3
