"""The Schedules page, and its run now."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, TestCase
from django.urls import reverse
from rq.cron import CronScheduler

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from jobs.names import written
from tests.dashboard.conftest import SignIn
from tests.samples.jobs import echo

ECHO = "tests.samples.jobs.echo"


def schedule() -> tuple[str, int]:
    """Schedule a job for an hour from now; returns its id, and when it is due, in milliseconds."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        job_id = echo.enqueue_in(timedelta(hours=1)).job_id
    score = store().zscore(keys.scheduled("mail"), job_id)
    assert score is not None
    return job_id, int(score * 1000)


def register_cron(name: str = "") -> None:
    scheduler = CronScheduler(connection=store(), name="cron-1")
    scheduler.register(echo.function, "mail", interval=3600, kwargs={"text": "<script>"}, name=name)
    scheduler.register_birth()


def run(client: Client, name: str, **fields: Any) -> Any:
    with TestCase.captureOnCommitCallbacks(execute=True):
        return client.post(reverse("mandor:schedule-run", args=[name]), fields, follow=True)


def test_it_lists_cron_jobs_and_scheduled_jobs(sign_in: SignIn) -> None:
    register_cron()
    job_id, _ = schedule()

    page = sign_in("viewer").get("/schedules/").content.decode()

    assert "every 1 h" in page
    assert f'href="/jobs/{job_id}/"' in page
    assert "1 scheduled job" in page
    assert "<script>" not in page


def test_an_empty_page_says_how_schedules_come_to_be(sign_in: SignIn) -> None:
    page = sign_in("viewer").get("/schedules/").content.decode()

    assert "No cron jobs." in page
    assert "No scheduled jobs." in page


def test_an_operator_runs_a_scheduled_job_now_and_once(sign_in: SignIn) -> None:
    (job_id, due), client = schedule(), sign_in("operator")

    first, second = run(client, job_id, due=due), run(client, job_id, due=due)

    assert first.redirect_chain[0][1] == 303
    assert "is on its queue now" in first.content.decode()
    assert "is not scheduled any more" in second.content.decode()
    assert store().lrange(keys.queue("mail"), 0, -1) == [job_id.encode()]


def test_an_operator_runs_a_cron_job_now_and_once(sign_in: SignIn) -> None:
    register_cron()
    client, fields = sign_in("operator"), {"scheduler": "cron-1", "place": "0", "last": ""}

    first, second = run(client, ECHO, **fields), run(client, ECHO, **fields)

    assert "is on its queue now" in first.content.decode()
    assert "since this page was drawn" in second.content.decode()
    assert store().llen(keys.queue("mail")) == 1


@pytest.mark.parametrize("name", ["a/run", "..", "a b?c", "🦊", "a\n\u202eb", "<script>"])
def test_a_cron_job_of_any_name_is_listed_and_run(sign_in: SignIn, name: str) -> None:
    register_cron(name)
    client = sign_in("operator")

    page = client.get("/schedules/").content.decode()
    run(client, written(name), scheduler="cron-1", place="0", last="")

    assert f'action="{reverse("mandor:schedule-run", args=[written(name)])}"' in page
    assert "<script>" not in page
    assert store().llen(keys.queue("mail")) == 1


def test_a_run_is_an_activity_entry(sign_in: SignIn) -> None:
    job_id, due = schedule()

    run(sign_in("operator"), job_id, due=due)

    entry = ActivityEntry.objects.get()
    assert (entry.who, entry.action, entry.target, entry.outcome) == ("operator", "run_schedule", job_id, "done")


def test_who_may_not_enqueue_sees_no_button_and_is_refused(sign_in: SignIn) -> None:
    register_cron()
    (job_id, due), client = schedule(), sign_in("viewer")

    page = client.get("/schedules/").content.decode()
    answer = run(client, job_id, due=due)

    assert "/run/" not in page
    assert answer.status_code == 403
    assert not store().exists(keys.queue("mail"))
    assert ActivityEntry.objects.get().outcome == "denied"


def test_a_signed_out_person_goes_to_the_sign_in(client: Client, db: None) -> None:
    answer = client.post("/schedules/known/run/", {"due": 1})

    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")


def test_run_takes_post_only(sign_in: SignIn) -> None:
    assert sign_in("admin").get("/schedules/known/run/").status_code == 405


@pytest.mark.parametrize("due", ["", "soon", "9" * 40])
def test_a_form_without_its_time_is_refused(sign_in: SignIn, due: str) -> None:
    job_id, _ = schedule()

    assert run(sign_in("operator"), job_id, due=due).status_code in (200, 404)
    assert not store().exists(keys.queue("mail"))
