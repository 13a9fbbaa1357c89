"""The live region in a real browser: what it asks, when it pauses, and what a refresh never takes from a person."""

import logging
import re
import statistics

import pytest
from playwright.sync_api import Page, Response, Route, expect

from jobs import locks
from jobs.connection import store
from jobs.job_logs import capture
from tests.dashboard.conftest import OpenAs
from tests.factories import bury, enqueue, hold
from tests.waiting import eventually

pytestmark = pytest.mark.browser

BUSY = [
    (
        "menu open",
        "document.querySelector('#user-menu').open = true",
        "document.querySelector('#user-menu').open = false",
    ),
    ("dialog open", "document.querySelector('#help').showModal()", "document.querySelector('#help').close()"),
    (
        "text selected",
        "getSelection().selectAllChildren(document.querySelector('#locks-table'))",
        "getSelection().removeAllRanges()",
    ),
]
POLLS = re.compile(r"/(locks|jobs|queues)/")


@pytest.fixture
def polls(page: Page) -> list[int]:
    """Return the status of each answer to a poll, as they come."""
    seen: list[int] = []

    def note(response: Response) -> None:
        if "hx-ptag" in response.request.headers and POLLS.search(response.url):
            seen.append(response.status)

    page.on("response", note)
    return seen


def choose_interval(page: Page, seconds: int) -> None:
    page.get_by_label("Refresh every").select_option(str(seconds))


def pass_time(page: Page, polls: list[int], count: int = 2) -> None:
    """Wait until so many more polls were answered."""
    before = len(polls)

    def answered() -> bool:
        page.wait_for_timeout(50)
        return len(polls) >= before + count

    eventually(answered)


def test_a_quiet_page_gets_304s_and_a_change_comes_by_itself(open_as: OpenAs, page: Page, polls: list[int]):
    hold("report:42")
    open_as("viewer", "/locks/")
    choose_interval(page, 1)
    pass_time(page, polls, 3)
    assert set(polls[-2:]) == {304}

    hold("report:43")

    expect(page.get_by_text("report:43")).to_be_visible()
    expect(page.locator("#live")).to_contain_text("live")


def test_one_request_at_a_time_and_fewer_when_answers_take_long(open_as: OpenAs, page: Page):
    open_as("viewer", "/locks/")
    waiting: list[Route] = []
    page.route("**/locks/", lambda route: waiting.append(route))  # noqa: PLW0108  it is asked for its parameters
    choose_interval(page, 1)

    page.wait_for_timeout(2500)
    assert len(waiting) == 1
    waiting[0].continue_()
    page.wait_for_timeout(1500)
    assert len(waiting) == 1

    eventually(lambda: page.wait_for_timeout(50) or len(waiting) == 2)
    page.unroute_all(behavior="ignoreErrors")


@pytest.mark.parametrize(("says", "begin", "end"), BUSY, ids=[busy[0] for busy in BUSY])
def test_the_request_pauses_while_a_person_is_busy_and_says_so(
    open_as: OpenAs, page: Page, says: str, begin: str, end: str
):
    hold("report:42")
    open_as("admin", "/locks/")
    choose_interval(page, 1)

    page.evaluate(begin)
    expect(page.locator("#live")).to_contain_text(f"paused, {says}")
    hold("report:43")
    page.wait_for_timeout(2500)
    expect(page.get_by_text("report:43")).to_have_count(0)

    page.evaluate(end)
    expect(page.get_by_text("report:43")).to_be_visible()


def test_a_refresh_takes_neither_focus_nor_scroll_nor_an_open_traceback(open_as: OpenAs, page: Page, polls: list[int]):
    job_id = bury()
    open_as("operator", f"/jobs/{job_id}/")
    choose_interval(page, 1)
    page.set_viewport_size({"width": 900, "height": 400})
    trace = page.locator("details.trace").first
    trace.locator("summary").click()
    trace.locator("pre").focus()
    page.mouse.wheel(0, 200)
    page.wait_for_timeout(300)
    scrolled = page.evaluate("scrollY")
    focused = page.evaluate("document.activeElement.id")
    kept = trace.element_handle()

    with capture(job_id, attempt=1):
        logging.getLogger("reports").warning("a change of the page")
    expect(page.get_by_text("a change of the page")).to_have_count(1)

    assert kept.evaluate("element => element.isConnected && element.open")
    assert page.evaluate("document.activeElement.id") == focused != ""
    assert page.evaluate("scrollY") == scrolled


def test_an_answer_that_comes_while_a_dialog_opened_is_not_lost(open_as: OpenAs, page: Page, polls: list[int]):
    hold("report:42")
    open_as("admin", "/locks/")
    held: list[Route] = []
    page.route("**/locks/", lambda route: route.continue_() if held else held.append(route))
    choose_interval(page, 1)
    eventually(lambda: page.wait_for_timeout(50) or held)
    hold("report:43")

    page.evaluate("document.querySelector('#help').showModal()")
    held[0].continue_()
    page.wait_for_timeout(1000)
    expect(page.get_by_text("report:43")).to_have_count(0)

    page.evaluate("document.querySelector('#help').close()")
    expect(page.get_by_text("report:43")).to_be_visible()


def test_a_confirmation_that_is_being_typed_survives(open_as: OpenAs, page: Page, polls: list[int]):
    hold("report:42")
    open_as("admin", "/locks/show/?resource=report:42")
    choose_interval(page, 1)
    field = page.locator("#release input[name='reason'], #release textarea").first
    field.fill("it hangs")
    expect(page.locator("#live")).to_contain_text("paused, typing")

    pass_time(page, polls)

    expect(field).to_have_value("it hangs")
    expect(field).to_be_focused()


def test_a_job_that_is_gone_is_told_with_the_age_of_the_figures(open_as: OpenAs, page: Page, console: list[str]):
    (job_id,) = enqueue()
    open_as("viewer", f"/jobs/{job_id}/")
    choose_interval(page, 1)

    store().flushall()

    expect(page.get_by_text("What this page shows is no longer there. The figures below are from")).to_be_visible()
    console.clear()


def test_a_hidden_tab_asks_nothing_and_asks_at_once_when_it_is_seen(open_as: OpenAs, page: Page, polls: list[int]):
    lease = hold("report:42")
    open_as("viewer", "/locks/")
    choose_interval(page, 1)
    pass_time(page, polls)
    hide(page, hidden=True)
    page.wait_for_timeout(500)
    asked = len(polls)
    locks.release(lease)
    page.wait_for_timeout(2500)
    assert len(polls) == asked

    hide(page, hidden=False)

    expect(page.get_by_text("report:42")).to_have_count(0)


def hide(page: Page, *, hidden: bool) -> None:
    page.evaluate(
        """hidden => {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_the_log_of_a_running_job_grows_on_its_page(open_as: OpenAs, page: Page, polls: list[int]):
    (job_id,) = enqueue()
    open_as("viewer", f"/jobs/{job_id}/")
    choose_interval(page, 1)

    with capture(job_id, attempt=1):
        for number in range(60):
            logging.getLogger("reports").warning("line %d", number)
        expect(page.locator("#job-log")).to_contain_text("line 59")

    page.locator("#job-log-scroll").scroll_into_view_if_needed()
    expect(page.locator("#job-log-60")).to_be_in_viewport()
    expect(page.locator("#job-log-1")).not_to_be_in_viewport()


def test_a_person_who_reads_further_up_in_the_log_stays_there(open_as: OpenAs, page: Page):
    (job_id,) = enqueue()
    with capture(job_id, attempt=1):
        for number in range(80):
            logging.getLogger("reports").warning("line %d", number)
        open_as("viewer", f"/jobs/{job_id}/")
        choose_interval(page, 1)
        box = page.locator("#job-log-scroll")
        expect(page.locator("#job-log-80")).to_have_count(1)
        box.evaluate("box => box.scrollTo(0, -300)")
        read = page.locator("#job-log-50")
        before = read.evaluate("line => line.getBoundingClientRect().top")

        for number in range(80, 120):
            logging.getLogger("reports").warning("line %d", number)
        expect(page.locator("#job-log-120")).to_have_count(1)

        assert read.evaluate("line => line.getBoundingClientRect().top") == pytest.approx(before, abs=2)


def test_tabs_ask_at_the_same_beat_of_the_servers_clock(open_as: OpenAs, page: Page, polls: list[int]):
    page.add_init_script("Math.random = () => 0")
    open_as("viewer", "/locks/")
    page.evaluate("""() => {
        globalThis.beats = [];
        document.addEventListener("htmx:before:request", () => beats.push(Date.now() % 1000));
    }""")
    eventually(lambda: 400 < page.evaluate("Date.now() % 1000") < 600)
    choose_interval(page, 1)

    pass_time(page, polls, 6)

    at_the_change, *after = page.evaluate("beats")
    assert at_the_change > 400
    assert statistics.median(after) < 200
