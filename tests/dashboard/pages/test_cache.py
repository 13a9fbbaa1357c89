"""The Cache page, and each entry's own."""

import pytest

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
