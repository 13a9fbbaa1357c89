"""Lists that hold more than one look reaches say so, and lead on to the end."""

import re
from html import unescape

import pytest
from django.test import TestCase

from jobs.discards import discard_job
from jobs.reads import jobs
from tests.dashboard.conftest import SignIn
from tests.factories import MINUTE, bury, enqueue, finish, see, start
from tests.samples.jobs import echo

LOOK = 2
"""Entries of one look; a page of few rows takes two of them."""

LISTS = (
    *(f"/jobs/?state={state}" for state in ("waiting", "scheduled", "finished", "dead", "discarded")),
    "/dead-letters/",
    "/schedules/",
)
JOB = re.compile(r'href="/jobs/(\w{32})/"')
ON = re.compile(r'id="window-next" href="([^"]+)"')


def make_six_of_each() -> None:
    for _ in range(6):
        enqueue()
        finish(start("mail"))
        bury()
        discard_job(see(bury()), by="ann")
        with TestCase.captureOnCommitCallbacks(execute=True):
            echo.enqueue_in(MINUTE)
    enqueue(count=6)


@pytest.mark.parametrize("path", LISTS)
def test_all_of_a_long_list_is_reached_by_searching_on(sign_in: SignIn, monkeypatch: pytest.MonkeyPatch, path: str):
    monkeypatch.setattr(jobs, "WINDOW", LOOK)
    make_six_of_each()
    client, found, here = sign_in("viewer"), set[str](), path

    for _ in range(3):
        page = client.get(here).content.decode()
        found |= set(JOB.findall(page))
        on = ON.search(page)
        if on is None:
            break
        here = path.partition("?")[0] + unescape(on[1])

    assert len(found) == 6
    assert here != path
