"""The Queues page in a real browser: a pause at once, and an emptying that asks for the name."""

import pytest
from playwright.sync_api import Page, expect

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from tests.dashboard.conftest import OpenAs
from tests.factories import enqueue

pytestmark = pytest.mark.browser


def test_a_queue_is_paused_and_resumed_with_a_button_each_and_a_toast_undoes_it(open_as: OpenAs):
    page = open_as("operator", "/queues/")
    row = page.locator("#queue-mail")

    row.get_by_role("button", name="Pause").click()
    expect(row.get_by_text("Paused by operator")).to_be_visible()
    expect(page.get_by_role("status").get_by_text("Paused queue mail")).to_be_visible()
    assert store().exists(keys.paused("mail"))
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").get_by_text("Resumed queue mail")).to_be_visible()
    assert not store().exists(keys.paused("mail"))

    row.get_by_role("button", name="Pause").click()
    row.get_by_role("button", name="Resume").press("Enter")
    expect(row.get_by_role("button", name="Pause")).to_be_visible()
    assert not store().exists(keys.paused("mail"))


def test_a_queue_is_emptied_once_its_name_is_typed(open_as: OpenAs):
    enqueue(count=3)
    page = open_as("admin", "/queues/mail/")

    page.get_by_role("link", name="Empty…").press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("3 jobs wait now")
    confirm = dialog.get_by_role("button", name="Empty queue")
    dialog.get_by_label("to confirm").fill("mai")
    expect(confirm).to_be_disabled()
    dialog.get_by_label("to confirm").fill("mail")
    confirm.click()

    expect(page.get_by_text("Removed 3 jobs from queue mail")).to_be_visible()
    assert store().llen(keys.queue("mail")) == 0
    assert ActivityEntry.objects.get().count == 3


def test_a_dialog_that_is_left_changes_nothing(open_as: OpenAs):
    enqueue()
    page = open_as("admin", "/queues/mail/")

    page.get_by_role("link", name="Empty…").click()
    page.get_by_role("dialog").get_by_role("button", name="Keep them").click()

    expect(page.get_by_role("dialog")).to_be_hidden()
    assert store().llen(keys.queue("mail")) == 1


def test_a_job_that_comes_shows_without_a_reload_and_the_focus_stays(open_as: OpenAs):
    page = open_as("admin", "/queues/")
    page.get_by_label("Refresh every").select_option("1")
    button = page.locator("#queue-mail").get_by_role("button", name="Pause")
    button.focus()

    enqueue(count=2)

    expect(page.locator("#queue-mail-waiting")).to_have_text("2")
    expect(button).to_be_focused()


def test_it_works_without_javascript(open_without_javascript: OpenAs):
    enqueue()
    page = open_without_javascript("admin", "/queues/")

    page.locator("#queue-mail").get_by_role("button", name="Pause").click()
    expect(page.locator("#queue-mail").get_by_text("Paused by admin")).to_be_visible()
    page.get_by_role("link", name="mail", exact=True).click()
    page.get_by_label("to confirm").fill("mail")
    page.get_by_role("button", name="Empty queue").click()

    expect(page.get_by_text("Removed 1 job from queue mail")).to_be_visible()
    assert store().llen(keys.queue("mail")) == 0


@pytest.mark.parametrize("name", ["team/reports", "a b", "🦊", "a\nb"])
def test_a_queue_of_any_name_is_reached_by_its_link(open_as: OpenAs, name: str):
    store().sadd(keys.QUEUES, keys.queue(name))
    store().rpush(keys.queue(name), "1", "2")
    page = open_as("operator", "/queues/")

    page.get_by_role("link", name=name.replace("\n", r"\x0a"), exact=True).click()
    expect(page.locator("#figure-waiting")).to_have_text("2")
    page.get_by_role("button", name="Pause").click()

    expect(page.get_by_text("Paused by operator")).to_be_visible()
    assert store().exists(keys.paused(name))


@pytest.mark.parametrize("width", [360, 820, 1024])
def test_every_button_is_in_sight_however_wide_the_window(open_as: OpenAs, page: Page, width: int):
    page.set_viewport_size({"width": width, "height": 800})
    open_as("admin", "/queues/")

    for button in page.get_by_role("button", name="Pause").all():
        box = button.bounding_box()
        assert box and box["x"] + box["width"] <= width
