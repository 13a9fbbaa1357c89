"""Retry, discard, restore and stop of one job: what they do, for whom, once, and what they write on Activity."""

import re
from typing import Any

import pytest
from django.test import Client
from rq import Queue

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from jobs.discards import discard_job
from tests.dashboard.conftest import SignIn
from tests.factories import bury, enqueue, see, start

LIST = "http://testserver/dead-letters/?queue=mail"
VERBS = ["retry", "discard", "restore", "stop"]
PERMISSIONS = {"retry": "retry_job", "discard": "discard_job", "restore": "discard_job", "stop": "stop_job"}


def status(job_id: str) -> str:
    return (store().hget(keys.job(job_id), "status") or b"").decode()


def post(client: Client, verb: str, job_id: str, **fields: Any) -> Any:
    return client.post(f"/jobs/{job_id}/{verb}/", {"job": str(see(job_id)), **fields}, headers={"referer": LIST})


def shown(client: Client) -> str:
    return client.get("/activity/").content.decode()


def test_a_retry_puts_a_dead_letter_back_and_leads_back_to_where_it_was_asked(sign_in: SignIn) -> None:
    job_id = bury()

    answer = post(sign_in("operator"), "retry", job_id)

    assert (answer.status_code, answer["Location"]) == (303, LIST)
    assert status(job_id) == "queued"


def test_a_second_retry_changes_nothing_and_says_so(sign_in: SignIn) -> None:
    job_id, client = bury(), sign_in("operator")
    post(client, "retry", job_id)

    post(client, "retry", job_id)

    assert "no dead letter any more" in shown(client)
    assert ActivityEntry.objects.filter(outcome="skipped").count() == 1
    assert store().llen(keys.queue("mail")) == 1


def test_what_changed_since_it_was_seen_is_left_alone(sign_in: SignIn) -> None:
    job_id, client = bury(), sign_in("operator")
    seen = str(see(job_id))
    store().hset(keys.job(job_id), "m_died", 1)

    for verb in ("retry", "discard"):
        client.post(f"/jobs/{job_id}/{verb}/", {"job": seen})

    assert status(job_id) == "failed"
    assert [entry.outcome for entry in ActivityEntry.objects.all()] == ["skipped", "skipped"]


def test_a_discarded_job_is_in_the_bin_and_undo_truly_undoes(sign_in: SignIn) -> None:
    (job_id,), client = enqueue(), sign_in("operator")

    post(client, "discard", job_id)

    assert store().llen(keys.queue("mail")) == 0
    toast = client.get("/jobs/?state=discarded").content.decode()
    assert job_id in toast
    undo = re.search(r'action="(/jobs/\w+/restore/)".*?name="job" value="([^"]+)"', toast, re.DOTALL)
    assert undo
    client.post(undo[1], {"job": undo[2]})
    assert store().lrange(keys.queue("mail"), 0, -1) == [job_id.encode()]


def test_a_discard_says_how_many_go_on_waiting_for_it(sign_in: SignIn) -> None:
    queue, client = Queue("mail", connection=store()), sign_in("operator")
    parent = queue.enqueue("a.b")
    queue.enqueue("a.c", depends_on=parent)

    post(client, "discard", parent.id)

    assert "1 job that depends on it goes on waiting." in shown(client)


def test_a_job_in_flight_is_not_discarded_and_it_says_so(sign_in: SignIn) -> None:
    enqueue()
    claim, client = start(), sign_in("operator")

    post(client, "discard", claim.job_id)

    assert "in flight" in shown(client)
    assert status(claim.job_id) == "started"


def test_a_restored_job_is_where_it_was(sign_in: SignIn) -> None:
    job_id = bury()
    discard_job(see(job_id), by="ana")

    post(sign_in("operator"), "restore", job_id)

    assert status(job_id) == "failed"
    assert store().zscore(keys.failed("mail"), job_id)


def test_a_stop_asks_the_worker_of_the_execution_that_was_seen(sign_in: SignIn) -> None:
    enqueue()
    claim, client = start(), sign_in("operator")
    listener = store().pubsub()
    listener.subscribe(keys.worker_commands(claim.worker))
    listener.get_message(timeout=1)

    post(client, "stop", claim.job_id, execution="another")
    post(client, "stop", claim.job_id, execution=claim.execution_id)

    assert claim.execution_id.encode() in listener.get_message(timeout=1)["data"]
    assert [entry.outcome for entry in ActivityEntry.objects.order_by("id")] == ["skipped", "done"]
    listener.close()


def test_a_job_in_flight_offers_its_stop_in_the_list_and_asks_on_its_page(sign_in: SignIn) -> None:
    enqueue()
    claim, client = start(), sign_in("operator")

    assert f'href="/jobs/{claim.job_id}/#stop"' in client.get("/jobs/").content.decode()
    page = client.get(f"/jobs/{claim.job_id}/").content.decode()
    assert f'name="execution" value="{claim.execution_id}"' in page
    assert "/discard/" not in page


@pytest.mark.parametrize("verb", VERBS)
def test_it_is_an_activity_entry(sign_in: SignIn, verb: str) -> None:
    job_id = bury()
    if verb == "restore":
        discard_job(see(job_id), by="ana")

    post(sign_in("operator"), verb, job_id)

    entry = ActivityEntry.objects.get()
    assert (entry.who, entry.action, entry.target) == ("operator", f"{verb}_job", job_id)
    assert entry.outcome == ("skipped" if verb == "stop" else "done")


@pytest.mark.parametrize("verb", VERBS)
def test_a_viewer_has_no_button_and_is_refused(sign_in: SignIn, verb: str) -> None:
    job_id, client = bury(), sign_in("viewer")

    assert post(client, verb, job_id).status_code == 403

    assert status(job_id) == "failed"
    assert ActivityEntry.objects.get().outcome == "denied"
    for path in ("/dead-letters/", "/jobs/?state=dead", f"/jobs/{job_id}/"):
        assert f"/{verb}/" not in client.get(path).content.decode()


@pytest.mark.parametrize("verb", VERBS)
def test_a_signed_out_person_goes_to_the_sign_in(client: Client, db: None, verb: str) -> None:
    job_id = bury()

    answer = post(client, verb, job_id)

    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")
    assert status(job_id) == "failed"


@pytest.mark.parametrize("verb", VERBS)
def test_it_takes_post_only(sign_in: SignIn, verb: str) -> None:
    assert sign_in("operator").get(f"/jobs/{bury()}/{verb}/").status_code == 405


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("form", ["", "x", "::other"])
def test_a_form_that_does_not_say_what_was_seen_does_nothing(sign_in: SignIn, verb: str, form: str) -> None:
    job_id = bury()

    assert sign_in("operator").post(f"/jobs/{job_id}/{verb}/", {"job": form}).status_code == 404
    assert status(job_id) == "failed"
