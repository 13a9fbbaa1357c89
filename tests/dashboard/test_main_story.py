"""The main story in a real browser: real workers, a stuck lock, a dead letter, and the person who fixes both."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from jobs.enqueueing import enqueue_job
from tests import factories
from tests.dashboard.conftest import OpenAs, SignIn
from tests.samples.jobs import cached
from tests.waiting import eventually
from tests.worker_processes import kill_tree

pytestmark = pytest.mark.browser

SHORT_S = 1


def status(job_id: str) -> bytes | None:
    return store().hget(keys.job(job_id), "status")


def test_releasing_a_stuck_lock_lets_the_parked_job_run_and_refuses_the_former_holders_write(
    open_as: OpenAs, start_worker
):
    cached.enqueue(report_id=42)
    hung = factories.start("reports")
    store().hset(keys.lock("report:42"), "max", SHORT_S * 1000)
    store().zadd(keys.LOCKS, {"report:42": store().time()[0] * 1000 - 1})
    (parked,) = factories.enqueue(factories.LOCKED, report_id=42)
    start_worker(MANDOR_VISIBILITY_TIMEOUT="60")
    page = open_as("admin", "/locks/")
    page.get_by_label("Refresh every").select_option("1")
    eventually(lambda: store().zscore(keys.waiters("report:42"), parked))
    expect(page.get_by_text("Stuck").first).to_be_visible(timeout=10_000)

    page.get_by_role("link", name="Release…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Release lock")).to_be_visible()
    if dialog.get_by_label("to confirm").count():
        dialog.get_by_label("to confirm").fill("report:42")
    dialog.get_by_label("Why").fill("hangs")
    dialog.get_by_role("button", name="Release lock").click()

    expect(page.get_by_text("Released report:42")).to_be_visible()
    eventually(lambda: status(parked) == b"finished")
    assert factories.finish_cached(hung, '{"report": 41}') == "finished, cache refused"


def test_a_dead_letter_that_is_double_clicked_runs_once_and_leaves_the_list(open_as: OpenAs, start_worker):
    job_id = factories.bury(text="again")
    start_worker()
    page = open_as("operator", "/dead-letters/")

    page.get_by_role("button", name="Retry").dblclick()

    expect(page.get_by_role("button", name="Retry")).to_have_count(0)
    eventually(lambda: status(job_id) == b"finished")
    assert store().hget(keys.counts("mail"), "finished") == b"1"


def test_a_killed_workers_job_is_seen_going_back_and_being_finished_by_another(open_as: OpenAs, start_worker, tmp_path):
    marks = tmp_path / "marks"
    arguments = {"path": str(marks), "seconds": 3.0}
    job_id = enqueue_job("tests.samples.jobs.leave_marks_on_billing", arguments).job_id
    victim = start_worker()
    page = open_as("viewer", f"/jobs/{job_id}/")
    page.get_by_label("Refresh every").select_option("1")
    eventually(marks.exists)

    kill_tree(victim)
    start_worker()

    expect(page.locator("main").get_by_text("Reclaimed")).to_be_visible(timeout=20_000)
    expect(page.locator("main").get_by_text("Finished after")).to_be_visible(timeout=20_000)
    assert marks.read_text().split() == ["began", "began", "ended"]


def test_a_viewer_has_no_buttons_and_is_refused_with_an_entry(open_as: OpenAs, sign_in: SignIn):
    lease = factories.hold("report:42", max_duration=timedelta(minutes=1))
    job_id = factories.bury()
    page = open_as("viewer", "/locks/")
    expect(page.get_by_role("link", name="Release…")).to_have_count(0)
    page.goto(page.url.replace("/locks/", "/dead-letters/"))
    expect(page.get_by_role("button", name="Retry")).to_have_count(0)

    viewer = sign_in("viewer")
    answers = [
        viewer.post("/locks/release/", {"resource": "report:42", "token": lease.token, "reason": "x"}),
        viewer.post(f"/jobs/{job_id}/retry/"),
    ]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert ActivityEntry.objects.filter(outcome="denied").count() == 2
