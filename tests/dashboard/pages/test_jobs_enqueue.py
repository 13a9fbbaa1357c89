"""A registered job enqueued by hand: fields from its signature, errors beside them, one job for one form."""

import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from jobs.reads.job import find_job
from tests.dashboard.conftest import SignIn
from tests.factories import ECHO, LOCKED

MARKS = "tests.samples.jobs.leave_marks_on_mail"


@pytest.fixture
def send(django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks) -> Any:
    def send(client: Client, job: str, **fields: Any) -> Any:
        with django_capture_on_commit_callbacks(execute=True):
            return client.post("/jobs/enqueue/", {"job": job, **fields})

    return send


def ids(queue: str) -> list[str]:
    return [job_id.decode() for job_id in store().lrange(keys.queue(queue), 0, -1)]


def test_it_is_chosen_among_all_that_are_registered(sign_in: SignIn) -> None:
    page = sign_in("operator").get("/jobs/enqueue/").content.decode()

    assert f'<option value="{ECHO}"' in page
    assert re.search(r'href="/jobs/"[^>]*aria-current="page"', page)
    assert "enqueue-form" not in page


def test_its_fields_come_from_its_signature_with_the_defaults_in_them(sign_in: SignIn) -> None:
    client = sign_in("operator")

    assert 'value="hello"' in client.get("/jobs/enqueue/", {"job": ECHO}).content.decode()
    marks = client.get("/jobs/enqueue/", {"job": MARKS}).content.decode()
    assert re.search(r"<code>seconds</code> <small>\s*number", marks)


def test_it_leads_to_the_new_jobs_page(sign_in: SignIn, send: Any) -> None:
    answer = send(sign_in("operator"), LOCKED, **{"argument-report_id": "42"})

    (job_id,) = ids("reports")
    assert (answer.status_code, answer["Location"]) == (303, f"/jobs/{job_id}/")
    detail = find_job(job_id)
    assert detail
    assert (detail.arguments, detail.row.resource) == ("report_id=42", "report:42")


def test_a_delay_schedules_it(sign_in: SignIn, send: Any) -> None:
    send(sign_in("operator"), ECHO, delay="60", **{"argument-text": ""})

    assert store().zcard(keys.scheduled("mail")) == 1
    assert ids("mail") == []


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("", "is missing"),
        ("x", "whole number"),
        ("4.5", "whole number"),
        ("[1]", "whole number"),
        ("true", "whole number"),
    ],
)
def test_what_is_wrong_stands_beside_its_field_with_what_was_typed(
    sign_in: SignIn, send: Any, typed: str, problem: str
) -> None:
    answer = send(sign_in("operator"), LOCKED, **{"argument-report_id": typed})

    page = answer.content.decode()
    assert answer.status_code == 422
    assert re.search(rf'id="argument-report_id-problem">.*{problem}', page)
    assert f'name="argument-report_id" value="{typed}"' in page
    assert ids("reports") == []


@pytest.mark.parametrize("delay", ["x", "-1", "1e99", "nan"])
def test_a_delay_that_is_none_is_told(sign_in: SignIn, send: Any, delay: str) -> None:
    answer = send(sign_in("operator"), ECHO, delay=delay)

    assert answer.status_code == 422
    assert "enqueue-delay-problem" in answer.content.decode()


def test_arguments_that_are_too_large_are_told(sign_in: SignIn, send: Any) -> None:
    answer = send(sign_in("operator"), ECHO, **{"argument-text": "x" * 5000})

    assert "too large" in answer.content.decode()


def test_a_form_that_is_sent_twice_makes_one_job(sign_in: SignIn, send: Any) -> None:
    client = sign_in("operator")
    page = client.get("/jobs/enqueue/", {"job": ECHO}).content.decode()
    new = re.search(r'name="new_id" value="(\w+)"', page)
    assert new

    answers = [send(client, ECHO, new_id=new[1], **{"argument-text": "x"}) for _ in range(2)]

    assert ids("mail") == [new[1]]
    assert {answer["Location"] for answer in answers} == {f"/jobs/{new[1]}/"}


def test_a_job_that_is_not_registered_is_told(sign_in: SignIn, send: Any) -> None:
    assert "No job is called os.system." in send(sign_in("operator"), "os.system").content.decode()


def test_it_is_an_activity_entry(sign_in: SignIn, send: Any) -> None:
    send(sign_in("operator"), ECHO, **{"argument-text": "x"})

    entry = ActivityEntry.objects.get()
    assert (entry.who, entry.action, entry.target, entry.detail) == ("operator", "enqueue_job", ECHO, ids("mail")[0])


def test_a_viewer_has_no_link_and_is_refused(sign_in: SignIn, send: Any) -> None:
    client = sign_in("viewer")

    assert client.get("/jobs/enqueue/").status_code == 403
    assert send(client, ECHO).status_code == 403
    assert ids("mail") == []
    assert ActivityEntry.objects.get().outcome == "denied"
    assert "/jobs/enqueue/" not in client.get("/jobs/").content.decode()


def test_a_signed_out_person_goes_to_the_sign_in(client: Client, db: None) -> None:
    assert client.post("/jobs/enqueue/", {"job": ECHO})["Location"].startswith("/accounts/login/")


def test_it_takes_get_and_post_only(sign_in: SignIn) -> None:
    assert sign_in("operator").put("/jobs/enqueue/").status_code == 405
