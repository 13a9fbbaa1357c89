"""A server that is full refuses whatever might need memory: pages show all that is there meanwhile."""

import re

import pytest
from django.http import HttpResponse

from jobs.connection import store
from tests.dashboard.conftest import SignIn
from tests.every_page import fill_every_page

THINGS = re.compile(r'\bid="([^"]+)"')


@pytest.fixture
def full():
    """Return what lets the server be full and evict nothing until the end of the test."""
    yield lambda: store().config_set("maxmemory", 1)
    store().config_set("maxmemory", 0)


def test_every_page_shows_the_same_things_while_the_server_is_full(sign_in: SignIn, full):
    client, paths = sign_in("admin"), fill_every_page()
    before = {path: shown(client.get(path)) for path in paths}

    full()

    assert {path: shown(client.get(path)) for path in paths} == before
    assert client.get("/metrics").status_code == 200


def shown(page: HttpResponse) -> tuple[int, list[str]]:
    return page.status_code, THINGS.findall(page.content.decode())
