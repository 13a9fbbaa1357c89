"""What is done to jobs in a real browser: undone by a toast, asked in a dialog, selected, with and without scripts."""

import pytest
from playwright.sync_api import Page, expect

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from tests.dashboard.conftest import OpenAs
from tests.factories import bury, enqueue, start

pytestmark = pytest.mark.browser


def waiting() -> list[str]:
    return [job_id.decode() for job_id in store().lrange(keys.queue("mail"), 0, -1)]


def test_a_double_click_discards_once_and_the_toast_undoes_it(open_as: OpenAs):
    first, second = enqueue(count=2)
    page = open_as("operator", "/jobs/?state=waiting")

    page.locator(f"#job-{first}-discard").dblclick()

    expect(page.get_by_text("The job is in the bin")).to_be_visible()
    assert waiting() == [second]
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("back where it was")).to_be_visible()
    assert waiting() == [first, second]
    assert ActivityEntry.objects.count() == 2


def test_all_on_a_page_are_selected_asked_about_and_retried_while_the_list_waits(open_as: OpenAs):
    ids = [bury() for _ in range(3)]
    page = open_as("operator", "/dead-letters/")
    expect(page.locator("#selection")).to_be_hidden()

    page.locator("#pick-all").check()
    expect(page.locator("#selection-count")).to_have_text("3 selected")
    page.locator(f"#job-{ids[0]}-pick").uncheck()
    expect(page.locator("#selection-count")).to_have_text("2 selected")
    page.get_by_role("button", name="Retry selected…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Retry 2 jobs?")).to_be_visible()
    dialog.get_by_role("button", name="Retry 2 jobs").dblclick()

    expect(page.get_by_text("2 jobs retried.")).to_be_visible()
    assert page.url.endswith("/dead-letters/")
    assert sorted(waiting()) == sorted(ids[1:])
    assert ActivityEntry.objects.count() == 1


def test_on_a_phone_all_on_a_page_are_selected_with_a_button(open_as: OpenAs, page: Page):
    for _ in range(3):
        bury()
    page.set_viewport_size({"width": 360, "height": 760})
    open_as("operator", "/dead-letters/")

    page.locator("input[name=job]").first.check()
    page.get_by_role("button", name="Select all on this page").click()

    expect(page.locator("#selection-count")).to_have_text("3 selected")
    expect(page.get_by_role("button", name="Select all on this page")).to_be_hidden()


def test_by_keyboard_alone_a_row_is_selected_and_the_question_is_left(open_as: OpenAs):
    job_id = bury()
    page = open_as("operator", "/dead-letters/")

    page.locator(f"#job-{job_id}-pick").focus()
    page.keyboard.press("Space")
    page.locator("#selection-discard").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")

    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(f"#job-{job_id}-pick")).to_be_checked()
    assert store().zcard(keys.failed("mail")) == 1


def test_without_scripts_a_selection_is_asked_about_on_a_page_of_its_own(open_without_javascript: OpenAs):
    job_id = bury()
    page = open_without_javascript("operator", "/dead-letters/?q=func:echo")

    page.locator(f"#job-{job_id}-pick").check()
    page.get_by_role("button", name="Discard selected…").click()
    expect(page.get_by_text("ValueError: no such address")).to_be_visible()
    page.get_by_role("button", name="Discard 1 job").click()

    expect(page.get_by_text("1 job discarded.")).to_be_visible()
    assert page.url.endswith("/dead-letters/?q=func:echo")
    assert store().zcard(keys.bin_of("mail")) == 1


def test_a_stop_is_asked_about_in_a_dialog_that_names_the_job(open_as: OpenAs):
    enqueue()
    claim = start()
    page = open_as("operator", "/jobs/")

    page.locator(f"#job-{claim.job_id}-stop").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Stop echo?")).to_be_visible()
    dialog.get_by_role("button", name="Stop job").click()

    expect(page.get_by_text("No worker listens for this job")).to_be_visible()


def test_the_question_on_a_jobs_page_is_asked_in_a_dialog_and_where_its_address_leads(open_as: OpenAs):
    enqueue()
    path = f"/jobs/{start().job_id}/"
    page = open_as("operator", path)
    expect(page.get_by_role("link", name="Stop…")).to_be_visible()
    expect(page.locator("#stop")).to_be_hidden()

    page = open_as("operator", f"{path}#stop")

    expect(page.locator("#stop").get_by_role("button", name="Stop job")).to_be_visible()


def test_what_died_since_is_counted_and_shown_only_when_asked(open_as: OpenAs):
    old = bury()
    page = open_as("viewer", "/dead-letters/")
    page.get_by_label("Refresh every").select_option("1")

    new = bury()

    page.get_by_role("link", name="1 new, show").click()
    expect(page.locator("tbody tr").first).to_have_attribute("id", f"job-{new}")
    expect(page.locator(f"#job-{old}")).to_be_visible()


def test_a_job_is_enqueued_without_scripts_with_what_is_wrong_beside_its_field(open_without_javascript: OpenAs):
    page = open_without_javascript("operator", "/jobs/?state=waiting")

    page.get_by_role("link", name="Enqueue a job").click()
    page.get_by_label("Job", exact=True).select_option("tests.samples.jobs.locked")
    page.get_by_role("button", name="Choose").click()
    page.get_by_label("report_id").fill("x")
    page.get_by_role("button", name="Enqueue").click()
    expect(page.get_by_text("It must be a whole number.")).to_be_visible()
    page.get_by_label("report_id").fill("42")
    page.get_by_role("button", name="Enqueue").click()

    expect(page.get_by_text("report_id=42")).to_be_visible()
    assert store().llen(keys.queue("reports")) == 1


@pytest.mark.parametrize(
    "path", ["/jobs/enqueue/?job=tests.samples.jobs.locked", "/jobs/{}/edit/", "/jobs/?state=dead"]
)
def test_it_fits_a_small_phone(open_as: OpenAs, page: Page, path: str):
    job_id = bury(text="a-long-argument-" * 20)
    page.set_viewport_size({"width": 360, "height": 760})

    open_as("admin", path.format(job_id))
    for box in page.locator("input[name=job][type=checkbox]").all():
        box.check()

    assert page.evaluate("document.documentElement.scrollWidth") <= 360
