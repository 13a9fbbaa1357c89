"""No page has an accessibility fault that axe finds, in the light theme or in the dark one."""

from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import OpenAs
from tests.every_page import fill_every_page
from tests.factories import bury, hold

pytestmark = pytest.mark.browser

RUN = "options => axe.run(document, options)"
LEAN = {"preload": False, "resultTypes": ["violations"]}
EVERYTHING = {**LEAN, "rules": {"target-size": {"enabled": True}}}
COLOURS = {**LEAN, "runOnly": ["color-contrast", "link-in-text-block"]}
SIGN_IN = "/accounts/login/"
UNFOLD = "document.querySelectorAll('main details').forEach((part) => { part.open = true; })"
ASK_ON_A_PAGE = """() => {
    const form = document.getElementById("selection");
    form.action = document.getElementById("selection-discard").formAction;
    form.submit();
}"""


@pytest.fixture
def axe(page: Page) -> Page:
    """Return a page into which axe comes as the browser's own tools do: the product's policy stays as it is."""
    page.add_init_script(AXE_SCRIPT)
    page.emulate_media(reduced_motion="reduce")
    return page


def test_no_page_has_a_fault_in_either_theme(axe: Page, open_as: OpenAs, dashboard_url: str):
    paths = fill_every_page()
    axe.goto(dashboard_url + SIGN_IN)
    found = {SIGN_IN: faults(axe)}
    open_as("admin", "/")

    for path in paths:
        axe.goto(dashboard_url + path)
        axe.evaluate(UNFOLD)
        found[path] = faults(axe)

    assert {path: listed for path, listed in found.items() if listed} == {}


def test_neither_has_a_dialog_a_menu_a_question_or_a_message(axe: Page, open_as: OpenAs):
    hold("report:42")
    job_id = bury()

    open_as("admin", "/locks/").get_by_role("link", name="Release…").click()
    expect(axe.get_by_role("dialog", name="Release report:42?")).to_be_visible()
    assert faults(axe) == []

    axe.keyboard.press("Escape")
    axe.locator("#user-menu summary").click()
    assert faults(axe) == []

    axe.locator("#help-open").click()
    assert faults(axe) == []

    open_as("admin", "/dead-letters/").locator(f"#job-{job_id}-pick").check()
    assert faults(axe) == []

    axe.evaluate(ASK_ON_A_PAGE)
    expect(axe.locator("#selected-confirm")).to_be_visible()
    assert faults(axe) == []

    axe.locator("#selected-confirm").click()
    expect(axe.locator(".toast")).to_be_visible()
    assert faults(axe) == []


def faults(page: Page) -> list[str]:
    """Return what is wrong; the themes differ in nothing but their colours."""
    page.emulate_media(color_scheme="light")
    light = violations(page, EVERYTHING)
    page.emulate_media(color_scheme="dark")
    return [*light, *(f"dark: {each}" for each in violations(page, COLOURS))]


def violations(page: Page, options: dict[str, Any]) -> list[str]:
    found = page.evaluate(RUN, options)["violations"]
    return [f"{each['id']}: {node['target']} {node['failureSummary']}" for each in found for node in each["nodes"]]
