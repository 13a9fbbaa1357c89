"""English and Indonesian: the choice, what remembers it, and figures, times and plurals by language."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import translation
from playwright.sync_api import expect

from dashboard import filters
from dashboard.audit import in_english
from dashboard.languages import list_languages
from dashboard.templatetags.mandor import moment
from jobs.retries import REASONS
from tests.dashboard.conftest import OpenAs, SignIn, poll
from tests.factories import bury, enqueue


def choose(client: Client, language: str) -> None:
    client.post("/language/", {"language": language, "next": "/queues/"})


def test_a_person_chooses_indonesian_and_a_cookie_remembers_it(sign_in: SignIn):
    client = sign_in("viewer")

    answer = client.post("/language/", {"language": "id", "next": "/queues/"}, follow=True)
    later = client.get("/locks/").content.decode()

    assert answer.redirect_chain[0][0] == "/queues/"
    assert '<html lang="id"' in later
    assert "Tidak ada kunci yang dipegang" in later


def test_a_choice_is_a_post_and_never_leads_to_another_site(sign_in: SignIn):
    client = sign_in("viewer")

    elsewhere = client.post("/language/", {"language": "id", "next": "https://elsewhere.example/"})

    assert client.get("/language/").status_code == 405
    assert elsewhere["Location"] == "/"


def test_somebody_signed_out_chooses_too(client: Client, db: None):
    choose(client, "id")

    assert "Kata sandi" in client.get("/accounts/login/").content.decode()


def test_the_browsers_language_counts_until_somebody_chooses(sign_in: SignIn):
    client = sign_in("viewer")
    indonesian = {"Accept-Language": "id-ID,id;q=0.9,en;q=0.5"}

    first = client.get("/queues/", headers=indonesian).content.decode()
    choose(client, "en")
    second = client.get("/queues/", headers=indonesian).content.decode()

    assert ('<html lang="id"' in first, '<html lang="en"' in second) == (True, True)


def test_a_poll_is_never_answered_in_another_language_than_the_page(sign_in: SignIn):
    english, indonesian = sign_in("viewer"), sign_in("viewer")
    choose(indonesian, "id")
    tag = poll(english, "/queues/")["HX-PTag"]

    other = poll(indonesian, "/queues/", tag)

    assert other.status_code == 200
    assert "Antrean" in other.content.decode()
    assert poll(english, "/queues/", tag).status_code == 304


def test_figures_and_times_follow_the_language():
    day = datetime(2026, 8, 4, 12, 30, 5, tzinfo=UTC)

    with translation.override("id"):
        said = (
            filters.count(1_234_567),
            filters.percent(0.9641),
            filters.size(1_400),
            filters.duration(timedelta(seconds=252)),
            filters.duration(timedelta(seconds=1.42)),
            filters.hours(timedelta(days=1)),
        )
        shown = moment(day)

    assert said == ("1.234.567", "96,4 %", "1,4 kB", "4 mnt 12 dtk", "1,4 dtk", "24 j")
    assert "12.30.05</time>" in shown
    assert "2026-08-04 12:30:05</time>" in moment(day)


def test_what_activity_keeps_is_in_one_language():
    with translation.override("id"):
        assert in_english(REASONS[-2].__str__) == "The record of this job is gone, so it cannot be retried."
        assert str(REASONS[-2]).startswith("Catatan job ini hilang")


def test_a_refused_retry_says_why_in_indonesian_and_is_kept_in_english(sign_in: SignIn):
    client = sign_in("operator")
    choose(client, "id")
    job_id = bury()
    seen = _seen(client, job_id)
    client.post(f"/jobs/{job_id}/retry/", {"job": seen})

    told = client.post(f"/jobs/{job_id}/retry/", {"job": seen}, follow=True).content.decode()

    assert "Job ini tidak lagi gagal permanen" in told
    choose(sign_in("admin"), "id")
    assert "This job is no dead letter any more" in sign_in("admin").get("/activity/").content.decode()


@pytest.mark.parametrize("middleware", [[], ["django.middleware.locale.LocaleMiddleware"]])
def test_a_host_without_the_middleware_offers_no_choice(settings, middleware: list[str]):
    settings.MIDDLEWARE = middleware
    settings.LANGUAGES = [("de", "German"), ("id", "Indonesian"), ("en", "English")]

    assert [code for code, _ in list_languages()] == (["id", "en"] if middleware else [])


@pytest.mark.browser
def test_the_language_changes_and_ticking_times_with_it(open_as: OpenAs):
    enqueue()
    page = open_as("viewer", "/queues/")
    page.locator("#user-menu summary").click()

    page.get_by_role("button", name="Bahasa Indonesia").click()

    expect(page.locator("h1")).to_have_text("Antrean")
    expect(page.locator("#queues-table time").first).to_contain_text("dtk")
    expect(page.locator("#theme")).to_have_attribute("aria-label", "Tema: sistem")


@pytest.mark.browser
def test_the_language_changes_without_javascript(open_without_javascript: OpenAs):
    page = open_without_javascript("viewer", "/queues/")
    page.locator("#user-menu summary").click()

    page.get_by_role("button", name="Bahasa Indonesia").click()

    expect(page.locator("h1")).to_have_text("Antrean")


def _seen(client: Client, job_id: str) -> str:
    html = client.get(f"/jobs/{job_id}/").content.decode()
    return html.split(f'action="/jobs/{job_id}/retry/"')[1].split('name="job" value="')[1].split('"')[0]
