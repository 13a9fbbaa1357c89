"""The Workers page in a real browser: a stop asks first, and tells the worker once."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from redis.client import PubSub
from rq import Worker

from jobs import keys
from jobs.connection import store
from tests.dashboard.conftest import OpenAs

pytestmark = pytest.mark.browser


@pytest.fixture
def channel() -> Iterator[PubSub]:
    """Register a worker and hear what it is told."""
    Worker(["mail"], name="web-1", connection=store()).register_birth()
    heard = store().pubsub(ignore_subscribe_messages=True)
    heard.subscribe(keys.worker_commands("web-1"))
    heard.get_message(timeout=1)
    yield heard
    heard.close()


def test_a_stop_asks_and_then_says_that_the_worker_is_stopping(open_as: OpenAs, channel: PubSub):
    page = open_as("admin", "/workers/")

    page.get_by_role("link", name="Stop…").press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("It runs nothing now, so it ends at once.")
    dialog.get_by_role("button", name="Stop after its job").click()

    expect(page.locator("#workers-table").get_by_text("Stopping")).to_be_visible()
    expect(page.get_by_role("link", name="Stop…")).to_have_count(0)
    assert channel.get_message(timeout=1) is not None
    assert channel.get_message() is None


def test_it_works_without_javascript(open_without_javascript: OpenAs, channel: PubSub):
    page = open_without_javascript("admin", "/workers/")

    page.get_by_role("link", name="Stop…").click()
    page.get_by_role("button", name="Stop after its job").click()

    expect(page.locator("#workers-table").get_by_text("Stopping")).to_be_visible()
    assert channel.get_message(timeout=1) is not None
