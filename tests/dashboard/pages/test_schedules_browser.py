"""The Schedules page in a real browser."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from jobs import keys
from jobs.connection import store
from tests.dashboard.conftest import OpenAs
from tests.samples.jobs import echo

pytestmark = pytest.mark.browser


def test_a_double_click_runs_a_scheduled_job_once(open_as: OpenAs):
    echo.enqueue_in(timedelta(hours=1))
    page = open_as("operator", "/schedules/")

    page.get_by_role("button", name="Run now").dblclick()

    expect(page.get_by_text("is on its queue now")).to_be_visible()
    expect(page.get_by_text("No scheduled jobs.")).to_be_visible()
    assert store().llen(keys.queue("mail")) == 1


def test_it_works_without_javascript(open_without_javascript: OpenAs):
    echo.enqueue_in(timedelta(hours=1))
    page = open_without_javascript("operator", "/schedules/")

    page.get_by_role("button", name="Run now").click()

    expect(page.get_by_text("is on its queue now")).to_be_visible()
    assert store().llen(keys.queue("mail")) == 1
