"""One action on many jobs: one round trip, each judged by itself."""

import pytest

from jobs import keys
from jobs.connection import store
from jobs.retries import retry_job
from jobs.selections import MOST, Result, discard_jobs, restore_jobs, retry_jobs
from tests.factories import bury, enqueue, see


def test_those_that_changed_are_left_alone_and_counted():
    ids = [bury() for _ in range(3)]
    seen = [see(job_id) for job_id in ids]
    retry_job(seen[0], by="bob")

    assert retry_jobs(seen, by="ana") == Result(done=2, skipped=1)

    assert sorted(store().lrange(keys.queue("mail"), 0, -1)) == sorted(job_id.encode() for job_id in ids)


def test_discarded_and_restored_together_they_stand_as_before():
    ids = enqueue(count=4)
    seen = [see(job_id) for job_id in ids[1:3]]

    assert discard_jobs(seen, by="ana") == Result(done=2, skipped=0)
    assert discard_jobs(seen, by="ana") == Result(done=0, skipped=2)
    assert restore_jobs(seen, by="ana") == Result(done=2, skipped=0)

    assert store().lrange(keys.queue("mail"), 0, -1) == [job_id.encode() for job_id in ids]


def test_a_broken_record_holds_up_none_of_the_others():
    odd, well = bury(), bury()
    seen = [see(odd), see(well)]
    store().delete(keys.timeline(odd), keys.attempts(odd), keys.results(odd), keys.job(odd))
    store().set(keys.job(odd), "no hash")

    assert retry_jobs(seen, by="ana") == Result(done=1, skipped=1)


def test_no_more_at_once_than_one_round_trip_should_take():
    with pytest.raises(ValueError, match="At most"):
        discard_jobs([see("nobody")] * (MOST + 1), by="ana")
