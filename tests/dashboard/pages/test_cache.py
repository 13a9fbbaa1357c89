"""The Cache page, and each entry's own."""

import pytest
from django.test import Client

from dashboard.models import ActivityEntry
from jobs import caching
from tests.dashboard.conftest import SignIn
from tests.factories import enqueue, finish_cached, start


def fill() -> str:
    enqueue("tests.samples.jobs.cached", report_id=42)
    claim = start("reports")
    finish_cached(claim, '{"html": "<script>alert(1)</script>"}')
    return claim.job_id


def test_an_entry_is_listed_with_the_job_that_wrote_it(sign_in: SignIn) -> None:
    job_id = fill()

    page = sign_in("viewer").get("/cache/").content.decode()

    assert "/cache/entry/?key=report%3A42" in page
    assert f"/jobs/{job_id}/" in page


def test_an_entrys_page_shows_its_value_as_text(sign_in: SignIn) -> None:
    fill()

    page = sign_in("viewer").get("/cache/entry/?key=report:42").content.decode()

    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page


@pytest.mark.parametrize("key", ["a b/c?d&e", "<script>", "Zürich", "x" * 3000, "\x00\u202e"])
def test_any_key_can_be_looked_up(sign_in: SignIn, key: str) -> None:
    page = sign_in("viewer").get("/cache/entry/", {"key": key})

    assert page.status_code == 200
    assert "A reader finds a miss." in page.content.decode()


def test_no_key_leads_back_to_the_list(sign_in: SignIn) -> None:
    assert sign_in("viewer").get("/cache/entry/")["Location"] == "/cache/"


def invalidate(client: Client, **form: str) -> str:
    return client.post("/cache/invalidate/", form, follow=True).content.decode()


def held() -> bool:
    return caching.read("report:42").has_value


def test_an_operator_invalidates_an_entry(sign_in: SignIn) -> None:
    fill()

    assert "Invalidated report:42" in invalidate(sign_in("operator"), key="report:42")
    assert not held()


def test_an_operator_invalidates_a_namespace_whose_entries_were_counted_before(sign_in: SignIn) -> None:
    fill()
    client = sign_in("operator")

    asked = client.get("/cache/namespace/?name=report").content.decode()
    told = invalidate(client, namespace="report")

    assert "Its one entry goes" in asked
    assert "Invalidated the namespace report, 1 entry." in told
    assert not held()


def test_an_invalidation_is_an_activity_entry(sign_in: SignIn) -> None:
    fill()

    invalidate(sign_in("operator"), namespace="report")

    entry = ActivityEntry.objects.get()
    assert (entry.who, entry.action, entry.target, entry.count) == ("operator", "invalidate_cache", "report", 1)


def test_a_viewer_sees_no_button_and_is_refused(sign_in: SignIn) -> None:
    fill()
    client = sign_in("viewer")

    assert "Invalidate" not in client.get("/cache/").content.decode()
    assert client.post("/cache/invalidate/", {"key": "report:42"}).status_code == 403
    assert held()


def test_a_signed_out_person_goes_to_the_sign_in(client: Client, db: None) -> None:
    fill()

    assert client.post("/cache/invalidate/", {"key": "report:42"})["Location"].startswith("/accounts/login/")
    assert held()


def test_invalidate_takes_post_only_and_one_target(sign_in: SignIn) -> None:
    client = sign_in("admin")

    assert client.get("/cache/invalidate/").status_code == 405
    assert client.post("/cache/invalidate/", {}).status_code == 404


def test_a_namespace_that_is_often_stale_names_the_queue_that_refreshes_it(sign_in: SignIn) -> None:
    fill()
    caching.count("report", stale=5)
    caching.flush_counts()
    enqueue("tests.samples.jobs.cached", report_id=43)

    page = sign_in("viewer").get("/cache/").content.decode()

    assert "/queues/reports/" in page
    assert "often stale: a backlog" in page
