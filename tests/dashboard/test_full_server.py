"""A server that is full refuses whatever might need memory: pages show all that is there meanwhile."""

import re

import pytest
from django.http import HttpResponse

from dashboard.models import ActivityEntry
from jobs import keys
from jobs.connection import store
from tests.dashboard.conftest import SignIn, poll
from tests.every_page import fill_every_page
from tests.factories import enqueue

FULL = "Redis is full"
THINGS = re.compile(r'\bid="([^"]+)"')


@pytest.fixture
def full():
    """Return what lets the server be full and evict nothing until the end of the test."""
    yield lambda: store().config_set("maxmemory", 1)
    store().config_set("maxmemory", 0)


def test_every_page_shows_the_same_things_while_the_server_is_full(sign_in: SignIn, full):
    client, paths = sign_in("admin"), fill_every_page()
    before = {path: shown(client.get(path)) for path in paths}
    assert FULL not in client.get("/").content.decode()

    full()

    assert {path: shown(client.get(path)) for path in paths} == before
    assert FULL in client.get("/").content.decode()
    assert [client.get("/metrics").status_code, poll(client, "/").status_code] == [200, 200]


def test_what_cannot_be_done_meanwhile_says_so_and_is_not_said_to_be_done(sign_in: SignIn, full):
    enqueue()
    full()

    answer = sign_in("operator").post("/queues/mail/pause/", follow=True)

    assert answer.status_code == 503
    assert not store().exists(keys.paused("mail"))
    assert not ActivityEntry.objects.exists()


def shown(page: HttpResponse) -> tuple[int, list[str]]:
    return page.status_code, THINGS.findall(page.content.decode())
