"""The Locks page in a real browser: it lives, it keeps what a person is at, and a release frees the lock."""

import pytest
from playwright.sync_api import Page, expect
from rq import Worker

from dashboard.filters import UNKNOWN
from dashboard.models import ActivityEntry
from jobs import locks
from jobs.connection import store
from jobs.reads.locks import show_lock
from tests.dashboard.conftest import OpenAs
from tests.factories import LOCKED, claimant, enqueue, hold, start

pytestmark = pytest.mark.browser

REGION = "#region"


def every_second(page: Page) -> Page:
    page.get_by_label("Refresh every").select_option("1")
    return page


def test_a_lock_appears_and_goes_without_a_reload(open_as: OpenAs):
    page = every_second(open_as("viewer", "/locks/"))
    lease = hold("report:42")

    expect(page.get_by_role("link", name="report:42")).to_be_visible()
    expect(page.locator("#place-locks")).to_contain_text("1")

    locks.release(lease)

    expect(page.get_by_role("link", name="report:42")).to_have_count(0)


def test_polls_of_a_quiet_page_are_answered_with_304(open_as: OpenAs):
    hold("report:42")
    page = open_as("admin", "/locks/")

    with page.expect_response(lambda answer: answer.request.headers.get("hx-ptag") is not None) as first:
        every_second(page)
    with page.expect_response(lambda answer: answer.request.headers.get("hx-ptag") is not None) as second:
        pass

    assert [first.value.status, second.value.status] == [304, 304]


def test_a_living_holders_lock_asks_for_its_name_and_a_reason(open_as: OpenAs):
    by = claimant("reports")
    Worker(["reports"], name=by.name, connection=store()).register_birth()
    enqueue(LOCKED, report_id=42)
    start("reports", by=by)
    page = open_as("admin", "/locks/")

    page.get_by_role("link", name="Release…").click()
    dialog = page.get_by_role("dialog")
    confirm = dialog.get_by_role("button", name="Release lock")
    dialog.get_by_label("to confirm").fill("report:42")
    expect(confirm).to_be_disabled()
    dialog.get_by_label("Why").fill("it hangs")
    expect(confirm).to_be_enabled()
    dialog.get_by_label("to confirm").fill("report:4")
    expect(confirm).to_be_disabled()


def test_the_focus_survives_a_refresh(open_as: OpenAs):
    first = hold("report:42")
    page = every_second(open_as("admin", "/locks/"))
    button = page.locator(f"#lock-{first.token}-release")
    button.focus()

    hold("report:41")

    expect(page.get_by_role("link", name="report:41")).to_be_visible()
    expect(button).to_be_focused()


def test_release_frees_the_lock_and_says_so(open_as: OpenAs):
    lease = hold("report:42")
    page = open_as("admin", "/locks/")

    page.get_by_role("link", name="Release…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Why").fill("it hangs")
    dialog.get_by_role("button", name="Release lock").click()

    expect(page.get_by_text("Released report:42")).to_be_visible()
    expect(page.get_by_role("link", name="report:42")).to_have_count(0)
    assert show_lock("report:42").hold is None
    assert ActivityEntry.objects.get().reason == "it hangs"
    with pytest.raises(locks.LeaseLost):
        locks.renew(lease)


def test_an_open_dialog_pauses_the_refresh_and_says_so(open_as: OpenAs):
    hold("report:42")
    page = every_second(open_as("admin", "/locks/"))

    page.get_by_role("link", name="Release…").press("Enter")
    expect(page.locator("#live")).to_contain_text("paused, dialog open")
    hold("report:41")
    page.keyboard.press("Escape")

    expect(page.get_by_role("link", name="report:41")).to_be_visible()
    expect(page.locator("#live")).to_contain_text("live")


def test_while_redis_is_away_the_page_says_so_and_heals_by_itself(open_as: OpenAs, console: list[str], request):
    hold("report:42")
    page = every_second(open_as("viewer", "/locks/"))

    put_back = request.getfixturevalue("store_away")
    expect(page.get_by_text("Redis does not answer.")).to_be_visible()
    expect(page.get_by_text("The figures below are from")).to_be_visible()
    expect(page.locator("#place-locks")).to_contain_text(UNKNOWN)
    put_back()

    expect(page.get_by_text("Redis does not answer.")).to_have_count(0)
    expect(page.get_by_text("The figures below are from")).to_be_hidden()
    expect(page.locator("#place-locks")).to_contain_text("1")
    assert all("503" in error for error in console)
    console.clear()


def test_a_page_opened_while_redis_is_away_comes_back_whole(open_as: OpenAs, console: list[str], store_away):
    page = open_as("viewer", "/locks/")
    expect(page.get_by_role("heading", name="Redis does not answer")).to_be_visible()

    store_away()

    expect(page.get_by_role("heading", name="Locks")).to_be_visible()
    console.clear()


def test_it_works_without_javascript(open_without_javascript: OpenAs):
    hold("report:42")
    page = open_without_javascript("admin", "/locks/")

    page.get_by_role("link", name="Release…").click()
    page.get_by_role("button", name="Release lock").click()

    expect(page.get_by_text("Released report:42")).to_be_visible()
    assert show_lock("report:42").hold is None
