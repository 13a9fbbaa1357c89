"""No page asks Redis more than ten times, whatever it shows."""

from tests.dashboard.conftest import SignIn
from tests.every_page import fill_every_page
from tests.factories import enqueue

MOST = 10
SEARCH = "/jobs/?state=waiting&q=hello"


def test_no_page_takes_more_than_ten_round_trips(sign_in: SignIn, round_trips: list[int]):
    client, took = sign_in("admin"), {}
    enqueue(text="hello", count=600)

    for path in (*fill_every_page(), SEARCH):
        round_trips.clear()
        assert client.get(path).status_code == 200
        took[path] = len(round_trips)

    assert took[SEARCH] >= 8
    assert {path: trips for path, trips in took.items() if trips > MOST} == {}
