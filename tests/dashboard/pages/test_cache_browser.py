"""The Cache page in a real browser: an entry is invalidated after a question, with and without JavaScript."""

import pytest
from playwright.sync_api import expect

from dashboard.models import ActivityEntry
from jobs import caching
from tests.dashboard.conftest import OpenAs
from tests.factories import enqueue, finish_cached, start

pytestmark = pytest.mark.browser


def fill() -> None:
    enqueue("tests.samples.jobs.cached", report_id=42)
    finish_cached(start("reports"), '{"report": 42}')


def test_invalidate_asks_first_and_escape_keeps_the_entry(open_as: OpenAs):
    fill()
    page = open_as("operator", "/cache/")
    invalidate = page.locator("[id='entry-report:42-invalidate']")

    invalidate.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Its next reader waits until it is computed anew")
    page.keyboard.press("Escape")

    expect(dialog).to_be_hidden()
    assert caching.read("report:42").has_value

    invalidate.click()
    dialog.get_by_role("button", name="Invalidate").click()

    expect(page.get_by_text("Invalidated report:42.")).to_be_visible()
    assert not caching.read("report:42").has_value
    assert ActivityEntry.objects.get().target == "report:42"


def test_a_namespace_is_invalidated_without_javascript(open_without_javascript: OpenAs):
    fill()
    page = open_without_javascript("operator", "/cache/")

    page.locator("#namespace-report-invalidate").click()
    expect(page.get_by_text("Its one entry goes at once.")).to_be_visible()
    page.get_by_role("button", name="Invalidate").click()

    expect(page.get_by_text("Invalidated the namespace report")).to_be_visible()
    assert not caching.read("report:42").has_value
