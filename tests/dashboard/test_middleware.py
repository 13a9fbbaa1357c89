"""While Redis is away every page says so, nothing fails, and nothing is believed to be done."""

import re

import pytest

from dashboard.filters import UNKNOWN
from dashboard.models import ActivityEntry
from tests.dashboard.conftest import SignIn, poll
from tests.factories import hold

PAGES = [
    *("/", "/queues/", "/queues/mail/", "/jobs/", "/jobs/abc/", "/locks/", "/locks/show/?resource=report:42"),
    *("/cache/", "/cache/entry/?key=report:42", "/dead-letters/", "/workers/"),
]
BANNER = "Redis does not answer."


@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_that_redis_is_away_and_asks_again(sign_in: SignIn, store_away: object, path: str):
    answer = sign_in("admin").get(path)

    page = answer.content.decode()
    assert answer.status_code == 503
    assert BANNER in page
    assert f'hx-get="{path}"' in page


def test_a_server_that_hangs_is_away_too(sign_in: SignIn, store_hangs: None):
    assert sign_in("viewer").get("/locks/").status_code == 503


def test_a_page_that_needs_no_redis_is_there_with_the_banner(sign_in: SignIn, store_away: object):
    answer = sign_in("admin").get("/activity/")

    assert answer.status_code == 200
    assert BANNER in answer.content.decode()


def test_counts_are_unknown_while_redis_is_away_never_0(sign_in: SignIn, store_away: object):
    page = sign_in("viewer").get("/locks/").content.decode()

    figures = re.findall(r'<span class="count[^>]*>([^<]*)<', page)
    assert figures == [UNKNOWN] * 7


def test_a_poll_learns_of_it_and_the_next_good_one_is_never_taken_for_known(sign_in: SignIn, store_away: object):
    answer = poll(sign_in("viewer"), "/locks/", "tag-of-the-figures-on-show")

    assert answer.status_code == 503
    assert BANNER in answer.content.decode()
    assert answer["HX-PTag"] == "away"


def test_a_write_says_that_nothing_was_changed(sign_in: SignIn, store_away: object):
    answer = sign_in("admin").post("/locks/release/", {"resource": "report:42", "token": "1"})

    page = answer.content.decode()
    assert answer.status_code == 503
    assert "Nothing was changed" in page
    assert "hx-get" not in page
    assert not ActivityEntry.objects.exists()


def test_the_page_is_back_as_soon_as_redis_is(sign_in: SignIn):
    hold("report:42")

    answer = poll(sign_in("viewer"), "/locks/", "away")

    assert answer.status_code == 200
    assert BANNER not in answer.content.decode()
