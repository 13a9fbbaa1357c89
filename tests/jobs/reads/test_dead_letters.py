"""The dead letters, and the stopped jobs that RQ files beside them."""

from rq.job import JobStatus

from jobs import keys
from jobs.connection import store
from jobs.reads.dead_letters import list_dead_letters
from jobs.reads.job_lists import JobFilter
from tests.factories import bury


def ids(*, stopped: bool = False, **narrowed: str) -> list[str]:
    return [row.id for row in list_dead_letters(JobFilter(**narrowed), stopped=stopped).rows]


def test_the_newest_come_first():
    first, second = bury(), bury()
    scores = store().zrange(keys.failed("mail"), 0, -1, withscores=True)
    assert [member.decode() for member, _ in scores] == [first, second]

    assert ids() == [second, first]


def test_stopped_jobs_are_a_list_of_their_own():
    dead, stopped = bury(), bury()
    store().hset(keys.job(stopped), "status", JobStatus.STOPPED.value)

    assert ids() == [dead]
    assert ids(stopped=True) == [stopped]


def test_a_dead_letter_whose_record_is_gone_is_listed_and_cannot_be_retried():
    job_id = bury()
    store().delete(keys.job(job_id))

    (row,) = list_dead_letters(JobFilter()).rows

    assert (row.id, row.gone, row.retryable) == (job_id, True, False)


def test_they_are_narrowed_by_queue():
    job_id = bury()

    assert ids(queue="mail") == [job_id]
    assert ids(queue="reports") == []
