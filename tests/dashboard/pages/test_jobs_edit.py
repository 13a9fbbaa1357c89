"""Arguments edited by hand: a new job with them, tied to the old one, which stays as it is; secrets are kept unseen."""

import os
import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks
from rq import Queue
from rq.serializers import JSONSerializer

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from jobs.reads.job_edits import find_call
from tests.dashboard.conftest import SignIn
from tests.factories import ECHO, bury, enqueue

SECRETIVE = "tests.samples.jobs.sign_in_elsewhere"


@pytest.fixture
def send(django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks) -> Any:
    def send(client: Client, job_id: str, **fields: Any) -> Any:
        with django_capture_on_commit_callbacks(execute=True):
            return client.post(f"/jobs/{job_id}/edit/", fields)

    return send


def arguments(job_id: str) -> dict[str, Any]:
    call = find_call(job_id)
    assert call
    return call.arguments


def waiting() -> list[str]:
    return [job_id.decode() for job_id in store().lrange(keys.queue("mail"), 0, -1)]


def test_the_form_has_the_jobs_arguments_in_it(sign_in: SignIn) -> None:
    page = sign_in("admin").get(f"/jobs/{bury(text='<b>old</b>')}/edit/").content.decode()

    assert 'value="&lt;b&gt;old&lt;/b&gt;"' in page


def test_a_new_job_is_enqueued_and_each_page_links_the_other(sign_in: SignIn, send: Any) -> None:
    old, client = bury(text="old"), sign_in("admin")

    answer = send(client, old, **{"argument-text": "new"})

    (new,) = waiting()
    assert (answer.status_code, answer["Location"]) == (303, f"/jobs/{new}/")
    assert (arguments(new), arguments(old)) == ({"text": "new"}, {"text": "old"})
    assert store().zscore(keys.failed("mail"), old)
    page = client.get(f"/jobs/{new}/").content.decode()
    assert f'id="job-edited-from" class="mono" href="/jobs/{old}/"' in page
    assert "Edited from" in page
    page = client.get(f"/jobs/{old}/").content.decode()
    assert f'id="job-edited-as" class="mono" href="/jobs/{new}/"' in page
    assert "Edited as" in page


def test_a_form_that_is_sent_twice_makes_one_job(sign_in: SignIn, send: Any) -> None:
    old, client = bury(), sign_in("admin")
    new = re.search(r'name="new_id" value="(\w+)"', client.get(f"/jobs/{old}/edit/").content.decode())
    assert new

    for _ in range(2):
        send(client, old, new_id=new[1], **{"argument-text": "new"})

    assert waiting() == [new[1]]
    assert b"".join(store().lrange(keys.timeline(old), 0, -1)).count(b"edited as") == 1


def test_secrets_are_not_shown_and_are_kept_where_the_field_was_left_alone(sign_in: SignIn, send: Any) -> None:
    (old,), client = enqueue(SECRETIVE, user="ana", password="hunter2"), sign_in("admin")
    page = client.get(f"/jobs/{old}/edit/").content.decode()
    drawn = re.search(r'name="argument-password"[^>]*>\s*([^<]*)</textarea>', page)
    assert drawn
    assert "hunter2" not in page
    store().delete(keys.queue("mail"))

    send(client, old, **{"argument-user": "bob", "argument-password": drawn[1].replace("&quot;", '"')})

    assert arguments(waiting()[0]) == {"user": "bob", "password": "hunter2"}


def test_a_secret_can_be_written_anew_but_not_in_part(sign_in: SignIn, send: Any) -> None:
    (old,), client = enqueue(SECRETIVE, user="ana", password="hunter2"), sign_in("admin")
    store().delete(keys.queue("mail"))

    answer = send(client, old, **{"argument-user": "ana", "argument-password": '"[masked] and more"'})
    assert "masked parts" in answer.content.decode()
    send(client, old, **{"argument-user": "ana", "argument-password": '"new one"'})

    assert arguments(waiting()[0])["password"] == "new one"


def test_what_is_wrong_stands_beside_its_field(sign_in: SignIn, send: Any) -> None:
    (old,) = enqueue("tests.samples.jobs.locked", report_id=1)

    answer = send(sign_in("admin"), old, **{"argument-report_id": "x"})

    assert answer.status_code == 422
    assert 'id="argument-report_id-problem"' in answer.content.decode()


def not_registered() -> str:
    return Queue("mail", connection=store(), serializer=JSONSerializer).enqueue("a.b").id


def pickled() -> str:
    return Queue("mail", connection=store()).enqueue("a.b").id


def positional() -> str:
    return Queue("mail", connection=store(), serializer=JSONSerializer).enqueue(ECHO, "x").id


def too_long() -> str:
    return Queue("mail", connection=store()).enqueue("a.b", os.urandom(50_000)).id


def without_payload() -> str:
    job_id = bury()
    store().hdel(keys.job(job_id), "data")
    return job_id


def of_another_type() -> str:
    store().set(keys.job("odd"), "no hash")
    return "odd"


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (not_registered, "a.b is not registered here"),
        (pickled, "never opened here"),
        (positional, "positional arguments"),
        (too_long, "too long"),
        (without_payload, "missing"),
        (of_another_type, "missing"),
    ],
)
def test_what_cannot_be_edited_says_why(sign_in: SignIn, send: Any, make: Any, why: str) -> None:
    job_id, client = make(), sign_in("admin")

    page = client.get(f"/jobs/{job_id}/edit/")

    assert page.status_code == 200
    assert why in page.content.decode()
    assert "edit-form" not in page.content.decode()
    assert send(client, job_id).status_code == 422


def test_an_unknown_job_is_not_found(sign_in: SignIn) -> None:
    assert sign_in("admin").get("/jobs/nobody/edit/").status_code == 404


def test_it_is_an_activity_entry(sign_in: SignIn, send: Any) -> None:
    old = bury()

    send(sign_in("admin"), old, **{"argument-text": "new"})

    entry = ActivityEntry.objects.get()
    assert (entry.action, entry.target, entry.detail) == ("edit_job", old, f"enqueued as {waiting()[0]}")


def test_an_operator_has_no_link_and_is_refused(sign_in: SignIn, send: Any) -> None:
    job_id, client = bury(), sign_in("operator")

    assert client.get(f"/jobs/{job_id}/edit/").status_code == 403
    assert send(client, job_id).status_code == 403
    assert ActivityEntry.objects.get().outcome == "denied"
    assert "/edit/" not in client.get(f"/jobs/{job_id}/").content.decode()


def test_a_signed_out_person_goes_to_the_sign_in(client: Client, db: None) -> None:
    assert client.post("/jobs/x/edit/")["Location"].startswith("/accounts/login/")


def test_it_takes_get_and_post_only(sign_in: SignIn) -> None:
    assert sign_in("admin").put("/jobs/x/edit/").status_code == 405
