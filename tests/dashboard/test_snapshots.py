"""Polls of the same page share one answer, as far as the people who ask may see the same."""

from django.test import Client

from jobs import keys
from jobs.connection import store
from jobs.snapshots import forget_snapshots
from tests.dashboard.conftest import SignIn, make_user, poll
from tests.factories import enqueue, hold
from tests.waiting import eventually

PATH = "/locks/"


def reads() -> int:
    """Return how often Redis was asked for the index of locks, which a drawing does a fixed number of times."""
    stats = store().info("commandstats")
    return int(stats.get("cmdstat_zcount", {"calls": 0})["calls"])


def test_a_second_tab_costs_no_read_and_sees_the_same(sign_in: SignIn):
    hold("report:42")
    first, second = sign_in("viewer"), sign_in("viewer")
    shown, before = poll(first, PATH), reads()

    again, known = poll(second, PATH), poll(second, PATH, shown["HX-PTag"])

    assert again.content == shown.content
    assert known.status_code == 304
    assert reads() == before


def test_a_change_is_seen_within_half_a_second(sign_in: SignIn):
    client = sign_in("viewer")
    poll(client, PATH)

    hold("report:42")

    eventually(lambda: "report:42" in poll(client, PATH).content.decode(), within=2)


def test_a_page_that_is_loaded_is_always_read_anew(sign_in: SignIn):
    client = sign_in("viewer")
    poll(client, PATH)

    hold("report:42")

    assert "report:42" in client.get(PATH).content.decode()


def test_people_with_other_permissions_see_their_own(sign_in: SignIn):
    hold("report:42")

    admin, viewer = (poll(sign_in(role), PATH).content.decode() for role in ("admin", "viewer"))

    assert "#release" in admin
    assert "#release" not in viewer


def test_each_sees_the_token_of_their_own_forms(db: None):
    enqueue()

    def pause_in_a_new_browser() -> int:
        client = Client(enforce_csrf_checks=True)
        client.force_login(make_user("admin"), backend="django.contrib.auth.backends.ModelBackend")
        region = poll(client, "/queues/").content.decode()
        token = region.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
        return client.post("/queues/mail/pause/", {"csrfmiddlewaretoken": token}).status_code

    assert [pause_in_a_new_browser(), pause_in_a_new_browser()] == [303, 303]


def test_another_process_takes_what_was_drawn(sign_in: SignIn):
    client = sign_in("viewer")
    shown, before = poll(client, PATH), reads()

    forget_snapshots()

    assert poll(client, PATH).content == shown.content
    assert reads() == before


def test_an_answer_that_is_no_region_is_not_shared(sign_in: SignIn):
    client = sign_in("viewer")

    for _ in range(2):
        assert poll(client, "/cache/namespace/?name=").status_code == 302

    assert not store().keys(keys.snapshot("*"))


def test_what_is_missing_is_missing_for_all(sign_in: SignIn):
    client = sign_in("viewer")

    assert [poll(client, "/jobs/nothing/").status_code for _ in range(2)] == [404, 404]
