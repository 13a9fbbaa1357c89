"""Retries: by themselves after 1, 2, 4 s, or by a person's hand, once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from rq import Retry

from jobs import keys
from jobs.connection import store
from jobs.queue import Queue
from jobs.retries import NotRetried, delay_before_retry, retry_job
from tests import factories

SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(("failures", "seconds"), [(0, 1), (1, 2), (2, 4), (5, 32), (30, 3600)])
def test_the_wait_doubles_from_the_base_up_to_the_cap(failures, seconds):
    factories.enqueue()
    claim = factories.start()
    claim.record["m_failures"] = str(failures).encode()

    assert delay_before_retry(claim) == seconds * SECOND


def test_jitter_shortens_the_wait_but_only_if_set(settings):
    factories.enqueue()
    claim = factories.start()
    settings.MANDOR = {"RETRY_JITTER": True}

    waits = {delay_before_retry(claim) for _ in range(5)}

    assert len(waits) == 5
    assert max(waits) < SECOND


def test_a_plain_clients_job_keeps_rqs_own_intervals():
    Queue("mail", connection=store()).enqueue("os.getcwd", retry=Retry(3, interval=[5, 6, 7]))

    assert delay_before_retry(factories.start()) == 5 * SECOND


def test_a_retried_dead_letter_is_back_on_its_queue_with_all_its_attempts():
    job_id = factories.bury()

    retry_job(factories.see(job_id), by="ana")

    assert store().zscore(keys.failed("mail"), job_id) is None
    claim = factories.start()
    assert (claim.job_id, claim.attempt, claim.text("m_left")) == (job_id, 1, "3")
    assert store().ttl(keys.job(job_id)) == -1


def test_of_many_who_retry_it_at_once_one_succeeds():
    job_id = factories.bury()
    seen = factories.see(job_id)

    def attempt(person: int) -> bool:
        try:
            retry_job(seen, by=str(person))
        except NotRetried:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(16))) == 1
    assert store().llen(keys.queue("mail")) == 1


def test_a_job_that_died_again_since_it_was_seen_is_left_alone():
    job_id = factories.bury()
    seen = factories.see(job_id)
    store().hset(keys.job(job_id), "m_died", 1)

    with pytest.raises(NotRetried, match="changed since"):
        retry_job(seen, by="ana")

    assert store().zscore(keys.failed("mail"), job_id)


def test_a_waiting_job_and_an_unknown_one_cannot_be_retried():
    (waiting,) = factories.enqueue()

    with pytest.raises(NotRetried, match="no dead letter"):
        retry_job(factories.see(waiting), by="ana")
    with pytest.raises(NotRetried, match="gone"):
        retry_job(factories.see("nobody"), by="ana")
