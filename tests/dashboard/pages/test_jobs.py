"""The Jobs page with its tabs and its search, and a job's own page."""

import re

import pytest
from rq import Queue
from rq.serializers import JSONSerializer

from jobs import keys
from jobs.connection import store
from jobs.reads.job_windows import WINDOW
from tests.dashboard.conftest import SignIn, poll
from tests.factories import LOCKED, bury, enqueue, hold, park, start


def test_the_first_tab_is_what_is_in_flight(sign_in: SignIn) -> None:
    enqueue(LOCKED, report_id=42)
    claim = start()

    page = sign_in("viewer").get("/jobs/").content.decode()

    assert claim.job_id in page
    assert claim.worker in page
    assert "report:42" in page


@pytest.mark.parametrize(
    "state", ["waiting", "scheduled", "retrying", "finished", "dead", "stopped", "deferred", "canceled"]
)
def test_each_tab_says_that_it_is_empty(sign_in: SignIn, state: str) -> None:
    assert "No jobs in this state." in sign_in("viewer").get(f"/jobs/?state={state}").content.decode()


def test_a_state_nobody_knows_is_the_first_tab(sign_in: SignIn) -> None:
    assert sign_in("viewer").get("/jobs/?state=none&page=x&start=-1&as_of=x").status_code == 200


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
    assert "?state=waiting&amp;queue=mail&amp;start=500" in page


def test_a_search_stays_in_the_box_and_in_the_tabs_and_finds_what_it_says(sign_in: SignIn) -> None:
    (found,), (other,) = enqueue(text="needle in hay"), enqueue(text="hay")

    page = sign_in("viewer").get("/jobs/", {"state": "waiting", "q": 'func:echo "needle in"'}).content.decode()

    assert found in page
    assert other not in page
    assert 'value="func:echo &quot;needle in&quot;"' in page
    assert "?state=dead&amp;q=func%3Aecho+%22needle+in%22" in page


def test_a_search_does_not_betray_secrets(sign_in: SignIn) -> None:
    Queue("mail", connection=store(), serializer=JSONSerializer).enqueue("a.b", api_token="hunter2")

    page = sign_in("admin").get("/jobs/", {"state": "waiting", "q": "hunter2"}).content.decode()

    assert "None of these jobs match" in page


def test_a_list_that_grows_at_its_top_stands_still_until_asked(sign_in: SignIn) -> None:
    client, old = sign_in("viewer"), bury()
    address = re.search(r'hx-get="([^"]+)"', client.get("/jobs/?state=dead").content.decode())
    assert address
    still = address[1].replace("&amp;", "&")
    new = bury()

    region = poll(client, still).content.decode()

    assert old in region
    assert new not in region
    assert "1 new, show" in region
    assert new in client.get("/jobs/?state=dead").content.decode()


def test_a_page_and_its_first_poll_are_the_same(sign_in: SignIn) -> None:
    bury()
    client = sign_in("admin")
    page = client.get("/jobs/?state=dead")
    address = re.search(r'hx-get="([^"]+)"', page.content.decode())
    assert address

    assert poll(client, address[1].replace("&amp;", "&"), page["HX-PTag"]).status_code == 304


def test_an_id_or_a_lock_that_is_typed_leads_straight_to_it(sign_in: SignIn) -> None:
    (job_id,) = enqueue()
    hold("report:42")
    client = sign_in("viewer")

    assert client.get("/jobs/", {"q": job_id})["Location"] == f"/jobs/{job_id}/"
    assert client.get("/jobs/", {"q": "report:42"})["Location"] == "/locks/show/?resource=report%3A42"
    assert client.get("/jobs/", {"q": f"id:{job_id}"})["Location"] == f"/jobs/{job_id}/"
    assert "None of these jobs match" in client.get("/jobs/", {"q": "nothing"}).content.decode()


def test_a_list_that_polls_stays_a_list_when_the_name_it_looks_for_appears(sign_in: SignIn) -> None:
    hold("report:42")

    assert poll(sign_in("viewer"), "/jobs/?q=report:42").status_code == 200


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
