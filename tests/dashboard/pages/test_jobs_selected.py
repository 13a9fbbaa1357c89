"""Retry, discard and restore of selected jobs: asked once with the count and a summary, then done to what still is."""

from typing import Any

import pytest
from django.test import Client

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from jobs.discards import discard_job
from jobs.retries import retry_job
from tests.dashboard.conftest import SignIn
from tests.factories import bury, enqueue, see, start

VERBS = ["retry", "discard", "restore"]


def post(client: Client, verb: str, ids: list[str], **fields: Any) -> Any:
    return client.post(f"/jobs/{verb}/", {"job": [str(see(job_id)) for job_id in ids], **fields})


def confirm(client: Client, verb: str, seen: list[str], back: str = "/dead-letters/?page=2") -> Any:
    return client.post(f"/jobs/{verb}/", {"job": seen, "confirmed": "yes", "next": back})


def test_it_asks_first_with_the_count_and_a_summary_by_function_and_error(sign_in: SignIn) -> None:
    ids = [bury(), bury(), bury(error="KeyError: 1")]

    page = post(sign_in("operator"), "retry", ids, next="/dead-letters/").content.decode()

    assert "Retry 3 jobs?" in page
    assert page.index("ValueError: no such address") < page.index("KeyError: 1")
    assert page.count('name="job"') == 3
    assert store().llen(keys.queue("mail")) == 0
    assert not ActivityEntry.objects.exists()


def test_it_says_how_many_are_not_eligible(sign_in: SignIn) -> None:
    dead, (waiting,) = bury(), enqueue()

    page = post(sign_in("operator"), "retry", [dead, waiting]).content.decode()

    assert "Retry 1 job?" in page
    assert "1 of those you selected changed meanwhile" in page


def test_changed_rows_are_skipped_and_told(sign_in: SignIn) -> None:
    ids, client = [bury() for _ in range(3)], sign_in("operator")
    seen = [str(see(job_id)) for job_id in ids]
    retry_job(see(ids[0]), by="bob")

    answer = confirm(client, "retry", seen)

    assert (answer.status_code, answer["Location"]) == (303, "/dead-letters/?page=2")
    assert store().llen(keys.queue("mail")) == 3
    entry = ActivityEntry.objects.get()
    assert (entry.action, entry.count, entry.outcome) == ("retry_job", 2, "done")
    assert "2 jobs retried. 1 had changed and was left alone." in client.get("/dead-letters/").content.decode()


def test_selected_jobs_go_to_the_bin_and_come_back(sign_in: SignIn) -> None:
    dead, client = bury(), sign_in("operator")
    ids = [*enqueue(count=2), dead]

    confirm(client, "discard", [str(see(job_id)) for job_id in ids])
    assert store().zcard(keys.bin_of("mail")) == 3
    confirm(client, "restore", [str(see(job_id)) for job_id in ids])

    assert store().lrange(keys.queue("mail"), 0, -1) == [job_id.encode() for job_id in ids[:2]]
    assert store().zscore(keys.failed("mail"), ids[2])


def test_of_jobs_that_all_changed_nothing_is_done_and_it_says_so(sign_in: SignIn) -> None:
    enqueue()
    claim, client = start(), sign_in("operator")

    confirm(client, "discard", [str(see(claim.job_id))])

    assert ActivityEntry.objects.get().outcome == "skipped"
    assert "Nothing was changed" in client.get("/jobs/").content.decode()


@pytest.mark.parametrize("fields", [{}, {"job": ["x", "::"]}, {"job": "x", "confirmed": "yes"}])
def test_without_a_selection_it_says_so(sign_in: SignIn, fields: dict[str, Any]) -> None:
    client = sign_in("operator")

    assert client.post("/jobs/retry/", fields).status_code == 303
    assert "No job was selected." in client.get("/jobs/").content.decode()


def test_it_leads_to_no_other_site(sign_in: SignIn) -> None:
    answer = confirm(sign_in("operator"), "discard", [str(see(bury()))], back="https://elsewhere.example/")

    assert answer["Location"] == "/jobs/"


def test_a_list_has_a_box_for_each_row_and_discard_does_not_stand_beside_retry(sign_in: SignIn) -> None:
    job_id = bury()
    page = sign_in("operator").get("/dead-letters/").content.decode()

    assert f'id="job-{job_id}-pick"' in page
    bar = page[page.index('id="selection"') : page.index('id="selection-discard"')]
    assert bar.index('id="selection-retry"') < bar.index('class="spring"')


@pytest.mark.parametrize("verb", VERBS)
def test_a_viewer_has_no_boxes_and_is_refused(sign_in: SignIn, verb: str) -> None:
    job_id, client = bury(), sign_in("viewer")

    assert post(client, verb, [job_id], confirmed="yes").status_code == 403
    assert ActivityEntry.objects.get().outcome == "denied"
    assert "-pick" not in client.get("/dead-letters/").content.decode()


@pytest.mark.parametrize("verb", VERBS)
def test_a_signed_out_person_goes_to_the_sign_in(client: Client, db: None, verb: str) -> None:
    assert post(client, verb, [bury()], confirmed="yes")["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize("verb", VERBS)
def test_it_takes_post_only(sign_in: SignIn, verb: str) -> None:
    assert sign_in("operator").get(f"/jobs/{verb}/").status_code == 405


def test_a_restore_is_an_activity_entry_of_its_own(sign_in: SignIn) -> None:
    job_id = bury()
    discard_job(see(job_id), by="ana")

    confirm(sign_in("operator"), "restore", [str(see(job_id))])

    entry = ActivityEntry.objects.get()
    assert (entry.action, entry.count, entry.detail.split(":")[0]) == ("restore_job", 1, "restore")
