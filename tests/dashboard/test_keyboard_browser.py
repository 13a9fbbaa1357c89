"""Every page by keyboard alone: each control is reached and seen, dialogs keep the focus, no key acts on a job."""

import string

import pytest
from playwright.sync_api import Page, Request, expect

from tests.dashboard.conftest import OpenAs
from tests.every_page import fill_every_page
from tests.factories import bury, hold

pytestmark = pytest.mark.browser

CONTROLS = """() => [...document.querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']",
)].filter((control) => control.checkVisibility({ visibilityProperty: true }) && !control.disabled)"""
WATCH = f"""() => {{
    window.controls = ({CONTROLS})();
    window.reached = new Set();
    window.faults = [];
    document.addEventListener("focusin", ({{ target }}) => {{
        reached.add(target);
        if (getComputedStyle(target).outlineStyle === "none") faults.push(`unseen focus: ${{target.outerHTML}}`);
        const box = target.getBoundingClientRect();
        const top = document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height / 2, 20));
        if (!target.contains(top) && !top?.contains(target)) faults.push(`covered: ${{target.outerHTML}}`);
    }});
    return controls.length;
}}"""
MISSED = "() => [...faults, ...controls.filter((one) => !reached.has(one)).map((one) => `missed: ${one.outerHTML}`)]"
KEYS = [*string.ascii_lowercase, *string.digits, "Delete", "Backspace"]


def walk(page: Page, key: str) -> list[str]:
    """Press a key once for each control and some more; returns the controls missed and the focus not seen."""
    for _ in range(page.evaluate(WATCH) + 3):
        page.keyboard.press(key)
    return list(page.evaluate(MISSED))


def test_tab_reaches_every_control_and_shows_where_it_is(open_as: OpenAs, page: Page, dashboard_url: str):
    paths = fill_every_page()
    open_as("admin", "/")
    page.get_by_label("Refresh every").select_option("0")

    missed = {}
    for path in paths:
        page.goto(dashboard_url + path)
        missed[path] = walk(page, "Tab")

    assert {path: listed for path, listed in missed.items() if listed} == {}


def test_a_long_page_walked_backwards_covers_no_control(open_as: OpenAs, page: Page, dashboard_url: str):
    page.set_viewport_size({"width": 1000, "height": 420})
    job_id = bury()
    open_as("admin", "/")
    page.get_by_label("Refresh every").select_option("0")
    page.goto(f"{dashboard_url}/jobs/{job_id}/")
    page.keyboard.press("End")

    assert walk(page, "Shift+Tab") == []


@pytest.mark.parametrize(
    ("path", "opener", "dialog"),
    [
        ("/locks/", "Release…", "Release report:42?"),
        ("/queues/mail/", "Empty…", "Empty queue mail?"),
    ],
)
def test_a_dialog_keeps_the_focus_and_gives_it_back(open_as: OpenAs, page: Page, path: str, opener: str, dialog: str):
    hold("report:42")
    open_as("admin", path)
    link = page.get_by_role("link", name=opener)

    link.press("Enter")
    expect(page.get_by_role("dialog", name=dialog)).to_be_visible()
    for _ in range(8):
        page.keyboard.press("Tab")
        assert page.evaluate(
            "['BODY', 'DIALOG'].includes(document.activeElement.tagName) || "
            "document.activeElement.closest('dialog') !== null"
        )
    page.keyboard.press("Escape")

    expect(link).to_be_focused()


def test_no_single_key_acts_on_a_job(open_as: OpenAs, page: Page):
    job_id = bury()
    sent: list[Request] = []
    open_as("admin", "/dead-letters/")
    page.on("request", lambda request: sent.append(request) if request.method == "POST" else None)

    for place in ("#main", f"#job-{job_id}-pick"):
        page.locator(place).focus()
        for key in KEYS:
            page.keyboard.press(key)

    assert page.url.endswith("/dead-letters/")
    assert sent == []


def test_nothing_moves_for_whoever_asked_for_that(open_as: OpenAs, page: Page):
    page.emulate_media(reduced_motion="reduce")
    open_as("viewer", "/")
    expect(page.locator("#live")).to_contain_text("live")

    assert page.evaluate("document.getAnimations().length") == 0
