"""The Jobs page with its tabs, a job's own page, and the retry of a dead letter."""

from typing import Any

import pytest
from django.test import Client

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from jobs.reads.job_windows import WINDOW
from tests.dashboard.conftest import SignIn
from tests.factories import LOCKED, bury, enqueue, hold, park, start


def died(job_id: str) -> str:
    return (store().hget(keys.job(job_id), "m_died") or b"").decode()


def retry(client: Client, job_id: str, **fields: str) -> Any:
    return client.post(
        f"/jobs/{job_id}/retry/", fields, headers={"referer": "http://testserver/dead-letters/?queue=mail"}
    )


def status(job_id: str) -> str:
    return (store().hget(keys.job(job_id), "status") or b"").decode()


def test_the_first_tab_is_what_is_in_flight(sign_in: SignIn) -> None:
    enqueue(LOCKED, report_id=42)
    claim = start()

    page = sign_in("viewer").get("/jobs/").content.decode()

    assert claim.job_id in page
    assert claim.worker in page
    assert "report:42" in page


@pytest.mark.parametrize("state", ["waiting", "scheduled", "retrying", "finished", "dead", "stopped", "deferred"])
def test_each_tab_says_that_it_is_empty(sign_in: SignIn, state: str) -> None:
    assert "No jobs in this state." in sign_in("viewer").get(f"/jobs/?state={state}").content.decode()


def test_a_state_nobody_knows_is_the_first_tab(sign_in: SignIn) -> None:
    assert sign_in("viewer").get("/jobs/?state=none&page=x&window=-1").status_code == 200


def test_a_parked_job_waits_for_its_lock(sign_in: SignIn) -> None:
    hold("report:42")
    park()

    page = sign_in("viewer").get("/jobs/?state=waiting").content.decode()

    assert "Waiting for lock" in page
    assert "/locks/show/?resource=report%3A42" in page


def test_a_list_that_did_not_reach_everything_says_so_and_goes_on(sign_in: SignIn) -> None:
    store().rpush(keys.queue("mail"), *(f"job-{n}" for n in range(WINDOW + 1)))

    page = sign_in("viewer").get("/jobs/?state=waiting&queue=mail").content.decode()

    assert "Searched 500 of 501" in page
    assert "?state=waiting&amp;queue=mail&amp;window=1" in page


def test_an_id_or_a_lock_that_is_typed_leads_straight_to_it(sign_in: SignIn) -> None:
    (job_id,) = enqueue()
    hold("report:42")
    client = sign_in("viewer")

    assert client.get("/jobs/", {"q": job_id})["Location"] == f"/jobs/{job_id}/"
    assert client.get("/jobs/", {"q": "report:42"})["Location"] == "/locks/show/?resource=report%3A42"
    assert "No job has the id" in client.get("/jobs/", {"q": "nothing"}, follow=True).content.decode()


def test_a_jobs_page_says_why_it_is_not_running(sign_in: SignIn) -> None:
    (job_id,) = enqueue()

    assert "No worker listens to its queue mail." in sign_in("viewer").get(f"/jobs/{job_id}/").content.decode()


def test_a_jobs_page_has_each_attempt_with_its_traceback(sign_in: SignIn) -> None:
    job_id = bury()

    page = sign_in("viewer").get(f"/jobs/{job_id}/").content.decode()

    assert page.count('class="trace"') == 4
    assert "Traceback (most recent call last)" in page


def test_a_job_nobody_knows_is_not_found(sign_in: SignIn) -> None:
    answer = sign_in("viewer").get("/jobs/nothing/")

    assert answer.status_code == 404
    assert "Nothing is known of a job nothing." in answer.content.decode()


def test_a_retry_puts_a_dead_letter_back_and_leads_back_to_where_it_was_asked(sign_in: SignIn) -> None:
    job_id = bury()

    answer = retry(sign_in("operator"), job_id, died=died(job_id))

    assert (answer.status_code, answer["Location"]) == (303, "http://testserver/dead-letters/?queue=mail")
    assert status(job_id) == "queued"


def test_a_retry_is_an_activity_entry(sign_in: SignIn) -> None:
    job_id = bury()

    retry(sign_in("operator"), job_id, died=died(job_id))

    entry = ActivityEntry.objects.get()
    assert (entry.who, entry.action, entry.target, entry.outcome) == ("operator", "retry_job", job_id, "done")


def test_a_second_retry_changes_nothing_and_says_so(sign_in: SignIn) -> None:
    job_id, client = bury(), sign_in("operator")
    fields = {"died": died(job_id)}
    retry(client, job_id, **fields)

    retry(client, job_id, **fields)

    assert "no dead letter any more" in client.get("/dead-letters/").content.decode()
    assert ActivityEntry.objects.filter(outcome="skipped").count() == 1
    assert store().llen(keys.queue("mail")) == 1


def test_a_job_that_died_again_since_is_left_alone(sign_in: SignIn) -> None:
    job_id = bury()

    retry(sign_in("operator"), job_id, died="1")

    assert status(job_id) == "failed"
    assert ActivityEntry.objects.get().outcome == "skipped"


def test_a_viewer_has_no_button_and_is_refused(sign_in: SignIn) -> None:
    job_id, client = bury(), sign_in("viewer")

    answer = retry(client, job_id)

    assert answer.status_code == 403
    assert status(job_id) == "failed"
    assert ActivityEntry.objects.get().outcome == "denied"
    for path in ("/dead-letters/", "/jobs/?state=dead", f"/jobs/{job_id}/"):
        assert "/retry/" not in client.get(path).content.decode()


def test_a_signed_out_person_goes_to_the_sign_in(client: Client, db: None) -> None:
    job_id = bury()

    answer = retry(client, job_id)

    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")
    assert status(job_id) == "failed"


def test_retry_takes_post_only(sign_in: SignIn) -> None:
    assert sign_in("operator").get(f"/jobs/{bury()}/retry/").status_code == 405
