"""The frame in a real browser: no page complains, none is wider than a phone, and choices are remembered."""

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import OpenAs
from tests.every_page import fill_every_page

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 780}


def width(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))


def test_no_page_complains_in_the_console_or_is_wider_than_a_phone(open_as: OpenAs, page: Page, dashboard_url: str):
    page.set_viewport_size(PHONE)
    paths = fill_every_page()
    open_as("admin", "/")

    widths = {}
    for path in paths:
        page.goto(dashboard_url + path)
        widths[path] = width(page)

    assert widths == dict.fromkeys(paths, PHONE["width"])


def test_the_menu_opens_within_a_phone(open_as: OpenAs, page: Page):
    page.set_viewport_size(PHONE)
    open_as("viewer", "/jobs/?state=dead")

    page.locator("#user-menu summary").click()

    box = page.locator("#user-menu .menu-body").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]


def test_the_theme_and_the_interval_are_remembered(open_as: OpenAs, page: Page):
    open_as("viewer", "/")

    page.get_by_role("button", name="Theme: system").click()
    page.get_by_label("Refresh every").select_option("0")
    page.reload()

    expect(page.get_by_role("button", name="Theme: light")).to_be_visible()
    expect(page.locator("#live")).to_contain_text("refresh off")


def test_keys_lead_to_the_search_and_to_the_help(open_as: OpenAs, page: Page):
    open_as("admin", "/activity/")

    page.keyboard.press("/")
    expect(page.locator("#filter-q")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")

    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()


def test_a_server_that_does_not_answer_is_told_with_the_age_of_the_figures(
    open_as: OpenAs, page: Page, console: list[str]
):
    open_as("viewer", "/locks/")

    page.route("**/locks/", lambda route: route.abort())
    expect(page.get_by_text("The server does not answer. The figures below are from")).to_be_visible()
    page.unroute_all()

    expect(page.get_by_text("The server does not answer.")).to_be_hidden(timeout=15_000)
    console.clear()
