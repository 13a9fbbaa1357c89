"""The Dead letters page; the retry itself is tested with the jobs."""

import pytest

from jobs import keys
from jobs.connection import store
from tests.dashboard.conftest import SignIn
from tests.factories import bury, see


def test_a_dead_letter_shows_its_error_and_the_retry_names_what_was_seen(sign_in: SignIn) -> None:
    job_id = bury(text="hello")

    page = sign_in("operator").get("/dead-letters/").content.decode()

    assert "ValueError: no such address" in page
    assert f'<input type="hidden" name="job" value="{see(job_id)}">' in page
    assert f'action="/jobs/{job_id}/retry/"' in page


@pytest.mark.parametrize(
    ("why", "word"),
    [("crashed", ">crashed</span>"), ("refused", ">refused</span>"), ("failed", "4 <small>of 4</small>")],
)
def test_it_says_how_it_ended(sign_in: SignIn, why: str, word: str) -> None:
    store().hset(keys.job(bury()), "m_ended", why)

    assert word in sign_in("viewer").get("/dead-letters/").content.decode()


def test_stopped_jobs_are_counted_apart(sign_in: SignIn) -> None:
    bury()
    store().hset(keys.job(bury()), "status", "stopped")

    page = sign_in("viewer").get("/dead-letters/?state=stopped").content.decode()

    assert 'Dead letters <span class="count">1</span>' in page
    assert 'Stopped <span class="count">1</span>' in page


def test_an_id_that_is_typed_leads_straight_to_its_job(sign_in: SignIn) -> None:
    job_id = bury()

    assert sign_in("viewer").get("/dead-letters/", {"q": job_id})["Location"] == f"/jobs/{job_id}/"


def test_an_empty_list_says_what_would_be_here(sign_in: SignIn) -> None:
    assert "No dead letters." in sign_in("viewer").get("/dead-letters/").content.decode()
