import json

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client, TestCase
from hypothesis import given
from hypothesis import settings as how

from dashboard.models import ActivityEntry
from dashboard.tokens import issue_token
from jobs import keys
from jobs.connection import store
from tests.dashboard.conftest import make_user
from tests.factories import ECHO, LOCKED

pytestmark = pytest.mark.django_db


def post(body, token=None, role="operator", language="en"):
    bearer = token if token is not None else issue_token(make_user(role))
    with TestCase.captureOnCommitCallbacks(execute=True):
        return Client().post(
            "/api/jobs",
            body if isinstance(body, str) else json.dumps(body),
            content_type="application/json",
            headers={"Authorization": f"Bearer {bearer}", "Accept-Language": language},
        )


def activity():
    return list(ActivityEntry.objects.values_list("who", "action", "target", "outcome"))


def test_a_job_is_enqueued_and_answered_with_its_id():
    answer = post({"job": LOCKED, "arguments": {"report_id": 42}})

    assert answer.status_code == 202
    job_id = answer.json()["job_id"]
    assert answer.json() == {"job_id": job_id, "status": "queued"}
    assert store().lrange(keys.queue("reports"), 0, -1) == [job_id.encode()]
    assert store().hget(keys.job(job_id), "m_from") == b"POST /api/jobs by operator"
    assert activity() == [("operator", "enqueue_job", LOCKED, "done")]


def test_arguments_may_be_left_out():
    assert post({"job": ECHO}).status_code == 202


def test_without_a_known_token_it_is_401():
    assert post({"job": ECHO}, token="mandor_unknown").status_code == 401
    assert Client().post("/api/jobs", "{}", content_type="application/json").status_code == 401
    assert activity() == []


def test_a_session_is_no_token(sign_in):
    assert sign_in("operator").post("/api/jobs", "{}", content_type="application/json").status_code == 401


def test_a_viewer_is_refused_and_it_is_written_down():
    answer = post({"job": ECHO}, role="viewer")

    assert answer.status_code == 403
    assert activity() == [("viewer", "enqueue_job", ECHO, "denied")]
    assert not store().exists(keys.queue("mail"))


def test_an_unknown_job_is_404():
    answer = post({"job": "os.system", "arguments": {"command": "true"}})

    assert answer.status_code == 404
    assert "os.system" in answer.json()["detail"]
    assert activity() == [("operator", "enqueue_job", "os.system", "skipped")]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "report_id"),
        ({"report_id": 42, "colour": "red"}, "colour"),
        ({"report_id": "x"}, "report_id"),
    ],
)
def test_a_wrong_argument_is_422_and_named(arguments, named):
    answer = post({"job": LOCKED, "arguments": arguments})

    assert answer.status_code == 422
    assert set(answer.json()["problems"]) == {named}
    assert named in answer.json()["detail"]


def test_what_is_wrong_is_said_in_one_language():
    answer = post({"job": LOCKED}, language="id")

    assert answer.json()["problems"] == {"report_id": "'report_id' is missing."}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 400),
        ("[" * 100_000, 400),
        ("[]", 422),
        ('{"job": 7}', 422),
        (r'{"job": "a\u0000"}', 422),
        (r'{"job": "a\ud800"}', 422),
        ('{"arguments": {}}', 422),
        (f'{{"job": "{ECHO}", "arguments": {{"text": "\\ud800"}}}}', 422),
        (" " * 3_000_000, 413),
    ],
    ids=range(9),
)
def test_a_body_that_is_no_call_is_told_so(body, status):
    answer = post(body)

    assert answer.status_code == status
    assert answer.json()["detail"]


def test_get_is_405():
    assert Client().get("/api/jobs").status_code == 405


@pytest.mark.django_db(transaction=True)
def test_while_redis_is_away_it_is_503_and_nothing_is_enqueued(store_away):
    token = issue_token(User.objects.create_superuser("root"))

    answer = post({"job": ECHO}, token=token)

    assert answer.status_code == 503
    assert "Redis" in answer.json()["detail"]
    assert activity() == [("root", "enqueue_job", ECHO, "skipped")]


def test_whatever_is_sent_is_answered_as_the_description_says():
    described = schemathesis.openapi.from_wsgi("/api/openapi.json", WSGIHandler())
    token = issue_token(make_user("operator"))

    @given(described["/api/jobs"]["POST"].as_strategy())
    @how(max_examples=10, deadline=None, database=None)
    def send(case):
        plain = {"Accept-Encoding": "identity"}  # called inside the process, where nobody unpacks
        case.call_and_validate(headers={"Authorization": f"Bearer {token}"} | plain)

    send()
