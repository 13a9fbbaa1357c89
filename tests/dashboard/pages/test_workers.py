"""The Workers page."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rq import Worker

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from jobs.names import exact, sent, written
from tests.dashboard.conftest import SignIn
from tests.factories import claimant, enqueue, start
from tests.waiting import eventually

Register = Callable[..., Any]


def test_a_worker_shows_what_it_runs(sign_in: SignIn) -> None:
    by = claimant("mail")
    Worker(["mail"], name=by.name, connection=store()).register_birth()
    enqueue()
    claim = start(by=by)

    page = sign_in("viewer").get("/workers/").content.decode()

    assert f'href="/jobs/{claim.job_id}/" title="tests.samples.jobs.echo">echo</a>' in page
    assert "1 at work" in page


def test_a_worker_that_went_silent_is_marked(sign_in: SignIn) -> None:
    store().sadd(keys.WORKERS, keys.worker("ended"))

    page = sign_in("viewer").get("/workers/").content.decode()

    assert "1 silent" in page


def test_it_says_who_does_the_upkeep(sign_in: SignIn) -> None:
    client = sign_in("viewer")
    assert "Nobody leads" in client.get("/workers/").content.decode()

    store().set(keys.LEADER, "mandor:web-1")

    assert "In office" in client.get("/workers/").content.decode()


@pytest.fixture
def register() -> Iterator[Register]:
    """Return what registers a worker of mail, and returns the channel of its commands, on which it may listen."""
    channels = []

    def register(name: str = "web-1", *, listens: bool = True) -> Any:
        Worker(["mail"], name=name, connection=store()).register_birth()
        channels.append(store().pubsub(ignore_subscribe_messages=True))
        if listens:
            channels[-1].subscribe(keys.worker_commands(name))
            channels[-1].get_message(timeout=1)
        return channels[-1]

    yield register
    for channel in channels:
        channel.close()
    eventually(lambda: not store().pubsub_channels(keys.worker_commands("web-1")))


def stop(client: Client, name: str = "web-1") -> Any:
    return client.post(reverse("mandor:worker-stop", args=[name]), follow=True)


def test_an_admin_stops_a_worker_which_is_told_once(sign_in: SignIn, register: Register) -> None:
    channel, client = register(), sign_in("admin")

    first, second = stop(client), stop(client)

    assert first.redirect_chain == [("/workers/", 303)]
    assert "ends once its current job has" in first.content.decode()
    assert "Stopping</span>" in first.content.decode()
    assert "is stopping already" in second.content.decode()
    assert channel.get_message(timeout=1)["data"] == b'{"command": "shutdown"}'
    assert channel.get_message() is None


def test_a_stop_is_an_activity_entry(sign_in: SignIn, register: Register) -> None:
    register()

    stop(sign_in("admin"))

    entry = ActivityEntry.objects.get()
    assert (entry.who, entry.action, entry.target, entry.outcome) == ("admin", "stop_worker", "web-1", "done")


@pytest.mark.parametrize(("known", "says"), [(True, "does not listen"), (False, "has ended")])
def test_a_worker_that_cannot_be_told_is_not_marked(
    sign_in: SignIn, register: Register, known: bool, says: str
) -> None:
    if known:
        register(listens=False)

    answer = stop(sign_in("admin"))

    assert says in answer.content.decode()
    assert not store().hexists(keys.worker("web-1"), "m_stopping")
    assert ActivityEntry.objects.get().outcome == "skipped"


def test_the_question_names_the_worker_and_what_it_finishes_first(sign_in: SignIn) -> None:
    by = claimant("mail")
    Worker(["mail"], name=by.name, connection=store()).register_birth()
    enqueue()
    start(by=by)

    page = sign_in("admin").get("/workers/", {"stop": by.name}).content.decode()

    assert f"Stop worker <code>{by.host}:{by.pid}</code>?" in page
    assert "It finishes <b>echo</b> first" in page


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_who_may_not_stop_sees_no_control_and_is_refused(sign_in: SignIn, register: Register, role: str) -> None:
    channel, client = register(), sign_in(role)

    page = client.get("/workers/?stop=web-1").content.decode()
    answer = stop(client)

    assert "Stop…" not in page
    assert "stop-form" not in page
    assert answer.status_code == 403
    assert channel.get_message() is None
    assert ActivityEntry.objects.get().outcome == "denied"


def test_a_signed_out_person_goes_to_the_sign_in(client: Client, db: None) -> None:
    answer = client.post("/workers/web-1/stop/")

    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")


def test_stop_takes_post_only(sign_in: SignIn) -> None:
    assert sign_in("admin").get("/workers/web-1/stop/").status_code == 405


@pytest.mark.parametrize("name", ["a/stop", "..", "a b?c", "🦊", "a\n\u202eb", b"\xff", "<script>"])
def test_a_worker_of_any_name_is_listed_and_stopped(sign_in: SignIn, name: str | bytes) -> None:
    shown = written(name)
    key = sent(keys.worker(exact(shown)))
    store().sadd(keys.WORKERS, key)
    store().hset(key, "queues", "mail")
    channel = store().pubsub(ignore_subscribe_messages=True)
    channel.subscribe(sent(keys.worker_commands(exact(shown))))
    channel.get_message(timeout=1)
    client = sign_in("admin")

    page = client.get("/workers/").content.decode()
    stop(client, shown)
    channel.close()

    assert "1 worker" in page
    assert "<script>" not in page
    assert store().hget(key, "m_stopper") == b"admin"


def test_fifty_workers_a_page(sign_in: SignIn) -> None:
    store().sadd(keys.WORKERS, *(keys.worker(f"worker-{number:02}") for number in range(60)))
    client = sign_in("viewer")

    first, second = (client.get(f"/workers/?page={number}").content.decode() for number in (1, 2))

    assert (first.count('<tr id="worker-'), second.count('<tr id="worker-')) == (50, 10)
    assert "60 workers" in first
