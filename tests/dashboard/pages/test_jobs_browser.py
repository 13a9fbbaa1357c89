"""Queues, jobs and dead letters in a real browser: they live, a retry runs once, a traceback stays open."""

import pytest
from playwright.sync_api import Page, expect

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from tests.dashboard.conftest import OpenAs
from tests.factories import bury, enqueue

pytestmark = pytest.mark.browser


def every_second(page: Page) -> Page:
    page.get_by_label("Refresh every").select_option("1")
    return page


def test_a_job_enqueued_shows_in_its_queues_depth_without_a_reload(open_as: OpenAs):
    page = every_second(open_as("viewer", "/queues/"))
    expect(page.locator("#queue-mail-waiting")).to_have_text("0")

    enqueue(count=2)

    expect(page.locator("#queue-mail-waiting")).to_have_text("2")


def test_a_retried_dead_letter_leaves_the_list_and_waits_on_its_queue(open_as: OpenAs):
    job_id = bury()
    page = open_as("operator", "/dead-letters/")

    page.locator(f"#job-{job_id}-retry").click()

    expect(page.get_by_text("is back on its queue")).to_be_visible()
    expect(page.locator(f"#job-{job_id}")).to_have_count(0)
    assert store().lrange(keys.queue("mail"), 0, -1) == [job_id.encode()]


def test_a_double_click_retries_once(open_as: OpenAs):
    job_id = bury()
    page = open_as("operator", "/dead-letters/")

    page.locator(f"#job-{job_id}-retry").dblclick()

    expect(page.get_by_text("is back on its queue")).to_be_visible()
    assert store().llen(keys.queue("mail")) == 1
    assert ActivityEntry.objects.count() == 1


def test_an_open_traceback_and_the_focus_in_it_survive_a_refresh(open_as: OpenAs):
    job_id = bury()
    page = every_second(open_as("operator", f"/jobs/{job_id}/"))
    page.locator("#attempt-4-traceback summary").click()

    store().hset(keys.job(job_id), "m_error", "ValueError: seen after the refresh")

    expect(page.locator("#job-error")).to_have_text("ValueError: seen after the refresh")
    expect(page.locator("#attempt-4-text")).to_be_visible()
    expect(page.locator("#attempt-4-traceback summary")).to_be_focused()


def test_the_search_goes_to_a_job_by_keyboard_alone(open_as: OpenAs):
    (job_id,) = enqueue()
    page = open_as("viewer", "/jobs/")

    page.keyboard.press("/")
    page.keyboard.type(job_id)
    page.keyboard.press("Enter")

    page.wait_for_url(f"**/jobs/{job_id}/")


@pytest.mark.parametrize(
    "path",
    ["/queues/", "/queues/mail/", "/jobs/?state=dead", "/jobs/{}/", "/dead-letters/", "/workers/", "/cache/"],
)
def test_a_page_fits_a_small_phone_and_logs_no_error(open_as: OpenAs, page: Page, path: str):
    job_id = bury(text="a-long-argument-" * 20)
    page.set_viewport_size({"width": 360, "height": 760})

    open_as("operator", path.format(job_id))

    assert page.evaluate("document.documentElement.scrollWidth") <= 360
