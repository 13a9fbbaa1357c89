from datetime import timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dashboard.tokens import issue_token
from jobs import durations
from jobs.connection import store
from tests.dashboard.conftest import make_user
from tests.factories import enqueue, finish, start

pytestmark = pytest.mark.django_db


def scrape(client, token=None):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    families = text_string_to_metric_families(answer.text)
    return {
        (each.name, *(value for _, value in sorted(each.labels.items()))): each.value
        for family in families
        for each in family.samples
    }


def test_an_operator_and_their_token_may_scrape(sign_in, client):
    token = issue_token(make_user("operator"))

    assert scrape(sign_in("operator"))["mandor_up",] == 1
    assert scrape(client, token)["mandor_up",] == 1


def test_a_viewer_is_refused(sign_in, client):
    token = issue_token(make_user("viewer"))

    assert sign_in("viewer").get("/metrics").status_code == 403
    assert client.get("/metrics", headers={"Authorization": f"Bearer {token}"}).status_code == 403


def test_a_wrong_token_is_401_also_in_a_session(sign_in):
    answer = sign_in("operator").get("/metrics", headers={"Authorization": "Bearer wrong"})

    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"


def test_another_kind_of_authorization_leaves_the_session(sign_in):
    assert sign_in("operator").get("/metrics", headers={"Authorization": "Basic YTpi"}).status_code == 200


def test_a_signed_out_person_goes_to_the_login(client):
    assert client.get("/metrics").url.startswith("/accounts/login/")


def test_post_is_405(sign_in):
    assert sign_in("operator").post("/metrics").status_code == 405


def test_the_text_says_what_the_figures_are(sign_in):
    enqueue(count=3)
    finish(start())
    start()
    durations.note("mail", waited=timedelta(seconds=3), ran=timedelta(milliseconds=40))
    durations.flush(store())

    figures = scrape(sign_in("operator"))

    assert figures["mandor_jobs_waiting", "mail"] == 1
    assert figures["mandor_jobs_in_flight", "mail"] == 1
    assert figures["mandor_jobs_enqueued_total", "mail"] == 3
    assert figures["mandor_jobs_finished_total", "mail"] == 1
    assert figures["mandor_job_duration_seconds_bucket", "0.02", "mail"] == 0
    assert figures["mandor_job_duration_seconds_bucket", "0.05", "mail"] == 1
    assert figures["mandor_job_duration_seconds_bucket", "+Inf", "mail"] == 1
    assert figures["mandor_job_duration_seconds_sum", "mail"] == 0.04
    assert figures["mandor_job_wait_seconds_count", "mail"] == 1
    assert figures["mandor_job_duration_seconds_count", "mail"] == 1
    assert figures["mandor_jobs_oldest_waiting_seconds", "mail"] >= 0
    assert figures["mandor_locks_held",] == 0


def test_redis_away_is_a_figure_not_a_failure(sign_in, store_away):
    assert scrape(sign_in("operator")) == {("mandor_up",): 0}
