"""The Queues page, and each queue's own."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape
from rq import Worker

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from jobs.names import exact, sent, written
from tests.dashboard.conftest import SignIn
from tests.factories import bury, enqueue


def test_a_queue_shows_its_figures_as_links_to_the_jobs_they_count(sign_in: SignIn) -> None:
    enqueue(count=3)
    bury()

    page = sign_in("viewer").get("/queues/").content.decode()

    assert 'id="queue-mail-waiting" href="/jobs/?state=waiting&amp;queue=mail">3</a>' in page
    assert 'id="queue-mail-dead" href="/jobs/?state=dead&amp;queue=mail">1</a>' in page
    assert "No worker listens" in page


def test_a_paused_queue_says_by_whom(sign_in: SignIn) -> None:
    store().hset(keys.paused("mail"), mapping={"by": "ana", "at": 1})

    assert "Paused by ana" in sign_in("viewer").get("/queues/").content.decode()


def test_a_paused_queue_says_that_stock_workers_mind_no_pause(sign_in: SignIn) -> None:
    store().hset(keys.paused("mail"), mapping={"by": "ana", "at": 1})
    Worker(["mail"], name="stock", connection=store()).register_birth()
    client = sign_in("viewer")

    page = client.get("/queues/").content.decode()
    store().hset(keys.worker("stock"), "m_version", "1")

    assert "1 stock worker takes its jobs all the same" in page
    assert "takes its jobs all the same" not in client.get("/queues/mail/").content.decode()


def test_a_queues_own_page_counts_its_jobs_by_state(sign_in: SignIn) -> None:
    enqueue(count=2)

    page = sign_in("viewer").get("/queues/mail/").content.decode()

    assert 'id="figure-waiting" href="/jobs/?state=waiting&amp;queue=mail">2</a>' in page


def test_a_queues_own_page_shows_its_first_fifty_workers(sign_in: SignIn) -> None:
    for number in range(52):
        Worker(["mail"], name=f"worker-{number:02}", connection=store()).register_birth()

    page = sign_in("viewer").get("/queues/mail/").content.decode()

    assert "worker-49" in page
    assert "worker-50" not in page
    assert "and 2 more" in page


def test_a_queue_nobody_knows_is_not_found(sign_in: SignIn) -> None:
    answer = sign_in("viewer").get("/queues/none/")

    assert answer.status_code == 404
    assert "a queue none" in answer.content.decode()


NAMES = ["a b/c?d&e", "<script>", "Zürich", "x" * 300, "a/pause", "..", "🦊", " a  b ", "a\n\u202eb", b"\xff", "a\\b"]


@pytest.mark.parametrize("name", NAMES)
def test_a_queue_of_any_name_has_a_row_and_a_page(sign_in: SignIn, name: str | bytes) -> None:
    shown = written(name)
    store().sadd(keys.QUEUES, sent(keys.queue(exact(shown))))
    store().rpush(sent(keys.queue(exact(shown))), "1", "2", "3")
    client = sign_in("admin")

    rows = client.get("/queues/").content.decode()
    page = client.get(reverse("mandor:queue", args=[shown]))

    assert escape(reverse("mandor:queue", args=[shown])) in rows
    assert page.status_code == 200
    assert ">3</a>" in page.content.decode()
    assert "<script>" not in rows


@pytest.mark.parametrize("name", NAMES)
def test_a_queue_of_any_name_is_paused_resumed_and_emptied(sign_in: SignIn, name: str | bytes) -> None:
    shown = written(name)
    queue, paused = sent(keys.queue(exact(shown))), sent(keys.paused(exact(shown)))
    store().sadd(keys.QUEUES, queue)
    store().rpush(queue, "1", "2")
    client = sign_in("admin")

    act(client, "pause", shown)
    was_paused = store().exists(paused)
    act(client, "resume", shown)
    act(client, "empty", shown, typed=shown)

    assert was_paused
    assert not store().exists(paused, queue)
    assert {entry.target for entry in ActivityEntry.objects.all()} == {shown}


def test_queues_stand_by_name_so_that_no_row_moves_when_its_figures_do(sign_in: SignIn) -> None:
    enqueue("tests.samples.jobs.locked", report_id=1)

    page = sign_in("viewer").get("/queues/").content.decode()

    assert page.index('id="queue-billing"') < page.index('id="queue-mail"') < page.index('id="queue-reports"')


def test_fifty_queues_a_page(sign_in: SignIn) -> None:
    store().sadd(keys.QUEUES, *(keys.queue(f"queue-{number:02}") for number in range(60)))
    client = sign_in("viewer")

    first, second = (client.get(f"/queues/?page={number}").content.decode() for number in (1, 2))

    assert (first.count('<tr id="queue-'), second.count('<tr id="queue-')) == (50, 13)
    assert "63 queues" in first


def act(client: Client, verb: str, name: str = "mail", **fields: str) -> Any:
    return client.post(reverse(f"mandor:queue-{verb}", args=[name]), fields, follow=True)


def test_an_operator_pauses_and_resumes_a_queue(sign_in: SignIn) -> None:
    client = sign_in("operator")

    paused = act(client, "pause")
    held = store().exists(keys.paused("mail"))
    resumed = act(client, "resume")

    assert paused.redirect_chain[0][1] == resumed.redirect_chain[0][1] == 303
    assert "Paused queue mail" in paused.content.decode()
    assert "Paused by operator" in paused.content.decode()
    assert "Resumed queue mail" in resumed.content.decode()
    assert held
    assert not store().exists(keys.paused("mail"))


def test_a_pause_and_a_resume_are_activity_entries(sign_in: SignIn) -> None:
    client = sign_in("operator")

    act(client, "pause")
    act(client, "resume")
    act(client, "resume")

    entries = ActivityEntry.objects.order_by("pk").values_list("who", "action", "target", "outcome", "detail")
    assert list(entries) == [
        ("operator", "pause_queue", "mail", "done", ""),
        ("operator", "resume_queue", "mail", "done", ""),
        ("operator", "resume_queue", "mail", "skipped", "not paused"),
    ]


def test_a_queue_that_somebody_else_paused_stays_theirs(sign_in: SignIn) -> None:
    act(sign_in("operator"), "pause")

    answer = act(sign_in("admin"), "pause")

    assert "was paused already" in answer.content.decode()
    assert "Paused by operator" in answer.content.decode()


def test_an_admin_empties_a_queue_by_typing_its_name(sign_in: SignIn) -> None:
    enqueue(count=3)
    client = sign_in("admin")

    asked = client.get("/queues/mail/").content.decode()
    answer = act(client, "empty", typed="mail")

    assert "3 jobs</b> wait now" in asked
    assert "Removed 3 jobs from queue mail" in answer.content.decode()
    assert store().llen(keys.queue("mail")) == 0
    entry = ActivityEntry.objects.get()
    assert (entry.who, entry.action, entry.target, entry.count) == ("admin", "empty_queue", "mail", 3)


@pytest.mark.parametrize("typed", ["", "Mail", "reports"])
def test_without_its_name_typed_a_queue_keeps_its_jobs(sign_in: SignIn, typed: str) -> None:
    enqueue()

    answer = act(sign_in("admin"), "empty", typed=typed)

    assert "Nothing was removed" in answer.content.decode()
    assert store().llen(keys.queue("mail")) == 1
    assert not ActivityEntry.objects.exists()


REFUSED = [("viewer", "pause"), ("viewer", "resume"), ("viewer", "empty"), ("operator", "empty")]


@pytest.mark.parametrize(("role", "verb"), REFUSED)
def test_who_may_not_act_sees_no_control_and_is_refused(sign_in: SignIn, role: str, verb: str) -> None:
    enqueue()
    client = sign_in(role)

    pages = client.get("/queues/").content.decode() + client.get("/queues/mail/").content.decode()
    answer = act(client, verb, typed="mail")

    assert f"/queues/mail/{verb}/" not in pages
    assert answer.status_code == 403
    assert store().llen(keys.queue("mail")) == 1
    assert not store().exists(keys.paused("mail"))
    assert ActivityEntry.objects.get().outcome == "denied"


@pytest.mark.parametrize("verb", ["pause", "resume", "empty"])
def test_a_signed_out_person_goes_to_the_sign_in(client: Client, db: None, verb: str) -> None:
    answer = client.post(f"/queues/mail/{verb}/", {"typed": "mail"})

    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize("verb", ["pause", "resume", "empty"])
def test_the_verbs_take_post_only(sign_in: SignIn, verb: str) -> None:
    assert sign_in("admin").get(f"/queues/mail/{verb}/").status_code == 405


@pytest.mark.parametrize("verb", ["pause", "empty"])
def test_a_queue_nobody_knows_cannot_be_acted_on(sign_in: SignIn, verb: str) -> None:
    assert act(sign_in("admin"), verb, "none", typed="none").status_code == 404
