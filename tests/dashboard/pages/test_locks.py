"""The Locks page and the release by hand."""

import os
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from rq import Worker

from dashboard.models import ActivityEntry
from dashboard.pages.locks import CHANGED_HANDS
from jobs import locks
from jobs.connection import store
from jobs.reads.locks import show_lock
from tests.dashboard.conftest import SignIn
from tests.factories import LOCKED, claimant, enqueue, finish, hold, park, start
from tests.waiting import eventually

MILLISECOND = timedelta(milliseconds=1)


def release(client: Client, resource: str, token: int | str, **fields: str) -> Any:
    return client.post("/locks/release/", {"resource": resource, "token": token, **fields}, follow=True)


def show(client: Client, resource: str) -> str:
    return client.get("/locks/show/", {"resource": resource}).content.decode()


def start_alive(report_id: int = 42) -> str:
    """Let a worker whose heartbeat is on time hold a report, and return its token."""
    by = claimant("reports")
    Worker(["reports"], name=by.name, connection=store()).register_birth()
    enqueue(LOCKED, report_id=report_id)
    start(by=by)
    return token_of(f"report:{report_id}")


def token_of(resource: str) -> str:
    found = show_lock(resource).hold
    assert found is not None
    return found.token


def test_it_lists_what_is_held_by_whom_and_who_waits(sign_in: SignIn) -> None:
    hold("report:42")
    park()

    page = sign_in("viewer").get("/locks/").content.decode()

    assert "report:42" in page
    assert "ann" in page
    assert "1 waiter" in page


def test_a_stuck_lock_is_marked_heads_the_list_and_shows_in_the_banner(sign_in: SignIn) -> None:
    hold("report:1")
    hold("report:2", max_duration=MILLISECOND)

    page = sign_in("viewer").get("/locks/").content.decode()

    assert "1 alert." in page
    assert page.index("report:2</b>") < page.index("report:1</b>")
    assert 'class="stuck"' in page


def test_a_locks_own_page_shows_its_waiters_in_order(sign_in: SignIn) -> None:
    hold("report:42")
    first, second = park(), park()

    page = sign_in("viewer").get("/locks/show/?resource=report:42").content.decode()

    assert page.index(first) < page.index(second)


def test_a_locks_own_page_shows_code_that_waits_beside_the_jobs(sign_in: SignIn) -> None:
    lease, client = hold("report:42"), sign_in("viewer")
    thread = threading.Thread(target=wait_in_line)
    thread.start()
    eventually(lambda: "locks.hold()" in show(client, "report:42"))
    job_id = park()

    page = show(client, "report:42")
    locks.release(lease)
    thread.join()

    assert "2 waiters" in page
    assert page.index(f"process {os.getpid()}") < page.index(job_id)


def wait_in_line() -> None:
    with locks.hold("report:42", wait=timedelta(minutes=1)):
        pass


def test_a_locks_own_page_marks_the_waiter_that_was_woken(sign_in: SignIn) -> None:
    lease, client = hold("report:42"), sign_in("viewer")
    park()
    before = show(client, "report:42")

    locks.release(lease)

    assert "Woken" not in before
    assert "Woken" in show(client, "report:42")


def test_a_locks_own_page_shows_its_last_holds_and_links_their_jobs(sign_in: SignIn) -> None:
    (job_id,) = enqueue(LOCKED, report_id=42)
    finish(start())
    lease = hold("report:42", holder="bob")
    locks.force_release("report:42", token=lease.token, by="ana", reason="hangs")

    page = show(sign_in("viewer"), "report:42")

    assert f'href="/jobs/{job_id}/"' in page
    assert page.index("Released by hand") < page.index(job_id)
    assert "over the last 2" in page


def test_a_page_whose_locks_have_ended_says_so(sign_in: SignIn) -> None:
    hold("report:42")

    assert "The locks on this page are no longer held." in sign_in("viewer").get("/locks/?page=2").content.decode()


def test_an_admin_releases_the_lock_they_saw(sign_in: SignIn) -> None:
    lease = hold("report:42")

    answer = release(sign_in("admin"), "report:42", lease.token)

    assert answer.redirect_chain[0][1] == 303
    assert "Released report:42" in answer.content.decode()
    assert show_lock("report:42").hold is None
    with pytest.raises(locks.LeaseLost):
        locks.renew(lease)


def test_a_release_is_an_activity_entry_with_its_reason(sign_in: SignIn) -> None:
    lease = hold("report:42")

    release(sign_in("admin"), "report:42", lease.token, reason="it hangs")

    entry = ActivityEntry.objects.get()
    assert (entry.who, entry.action, entry.target, entry.outcome) == ("admin", "release_lock", "report:42", "done")
    assert (entry.reason, entry.ip) == ("it hangs", "127.0.0.1")


def test_a_lock_that_changed_hands_is_not_released(sign_in: SignIn) -> None:
    seen = hold("report:42")
    locks.release(seen)
    newer = hold("report:42", holder="bob")

    answer = release(sign_in("admin"), "report:42", seen.token)

    assert str(CHANGED_HANDS) in answer.content.decode()
    assert token_of("report:42") == str(newer.token)
    assert ActivityEntry.objects.get().outcome == "skipped"


@pytest.mark.parametrize("fields", [{}, {"typed": "report:42"}, {"typed": "report:4", "reason": "it hangs"}])
def test_while_the_holder_lives_the_name_and_a_reason_are_asked_for(sign_in: SignIn, fields: dict[str, str]) -> None:
    token = start_alive()

    release(sign_in("admin"), "report:42", token, **fields)

    assert show_lock("report:42").hold is not None
    assert not ActivityEntry.objects.exists()


def test_the_hold_of_a_living_holder_is_released_once_the_name_is_typed(sign_in: SignIn) -> None:
    token = start_alive()

    release(sign_in("admin"), "report:42", token, typed="report:42", reason="it hangs")

    assert show_lock("report:42").hold is None


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_who_may_not_release_sees_no_button_and_is_refused(sign_in: SignIn, role: str) -> None:
    lease, client = hold("report:42"), sign_in(role)

    page = client.get("/locks/").content.decode()
    answer = release(client, "report:42", lease.token)

    assert "Release…" not in page
    assert answer.status_code == 403
    assert show_lock("report:42").hold is not None
    entry = ActivityEntry.objects.get()
    assert (entry.who, entry.action, entry.target, entry.outcome) == (role, "release_lock", "report:42", "denied")


def test_a_signed_out_person_goes_to_the_sign_in(client: Client, db: None) -> None:
    lease = hold("report:42")

    answer = client.post("/locks/release/", {"resource": "report:42", "token": lease.token})

    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")
    assert show_lock("report:42").hold is not None


def test_release_takes_post_only(sign_in: SignIn) -> None:
    assert sign_in("admin").get("/locks/release/").status_code == 405


@pytest.mark.parametrize("resource", ["a b/c?d&e", "<script>", "Zürich", "x" * 300])
def test_any_name_of_a_resource_can_be_shown_and_released(sign_in: SignIn, resource: str) -> None:
    lease, client = hold(resource), sign_in("admin")

    page = client.get("/locks/show/", {"resource": resource})
    release(client, resource, lease.token)

    assert page.status_code == 200
    assert "<script>" not in page.content.decode()
    assert show_lock(resource).hold is None
