"""A text that all web processes share for half a second."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis.exceptions import ConnectionError as StoreIsAway

from jobs import keys, snapshots
from jobs.connection import store
from jobs.snapshots import LIFE, NotShared, forget_snapshots, share
from tests.waiting import eventually


def counting() -> tuple[list[int], Callable[[], str]]:
    """Return a list that grows with each drawing, and what draws."""
    drawn: list[int] = []

    def draw() -> str:
        drawn.append(1)
        time.sleep(0.05)
        return f"drawing {len(drawn)}"

    return drawn, draw


def test_it_is_drawn_once_in_half_a_second():
    drawn, draw = counting()

    assert share("page", draw) == share("page", draw) == "drawing 1"
    assert share("other", draw) == "drawing 2"

    eventually(lambda: share("page", draw) == "drawing 3")
    assert len(drawn) == 3


def test_of_many_who_ask_at_once_one_draws():
    drawn, draw = counting()

    with ThreadPoolExecutor(20) as pool:
        texts = set(pool.map(lambda _: share("page", draw), range(50)))

    assert texts == {"drawing 1"}
    assert len(drawn) == 1


def test_processes_share_it_too():
    drawn, draw = counting()
    share("page", draw)

    forget_snapshots()

    assert share("page", draw) == "drawing 1"
    assert len(drawn) == 1
    assert 0 < store().pttl(keys.snapshot("page")) <= LIFE.total_seconds() * 1000


def test_a_process_waits_for_another_that_draws():
    _, draw = counting()
    other = threading.Thread(target=snapshots._get_or_draw, args=("page", draw))
    other.start()
    eventually(lambda: store().exists(keys.snapshot("page")))

    assert share("page", lambda: "mine") == "drawing 1"
    other.join()


def test_one_that_never_ends_drawing_is_not_waited_for_long():
    store().set(keys.snapshot("page"), "", px=10_000)

    assert share("page", lambda: "mine") == "mine"
    assert store().get(keys.snapshot("page")) == b""


@pytest.mark.parametrize("forged", [b"<script>", b"<script>:signature", b"\xff\xfe"])
def test_what_was_not_signed_is_never_shown(forged):
    store().set(keys.snapshot("page"), forged, px=10_000)

    assert share("page", lambda: "mine") == "mine"


def test_one_pages_text_is_never_taken_for_another():
    share("for admins", lambda: "secret")
    store().copy(keys.snapshot("for admins"), keys.snapshot("for viewers"))

    assert share("for viewers", lambda: "mine") == "mine"


def test_whoever_has_another_secret_key_draws_for_themselves(settings):
    share("page", lambda: "theirs")
    forget_snapshots()

    settings.SECRET_KEY = "another"

    assert share("page", lambda: "mine") == "mine"


def test_a_failure_is_raised_to_all_and_leaves_no_mark():
    drawn: list[int] = []

    def draw() -> str:
        drawn.append(1)
        raise ValueError(len(drawn))

    for _ in range(2):
        with pytest.raises(ValueError, match="1"):
            share("page", draw)

    assert drawn == [1]
    assert not store().exists(keys.snapshot("page"))


def test_what_is_not_to_be_shared_is_drawn_anew():
    drawn: list[int] = []

    def draw() -> str:
        drawn.append(1)
        raise NotShared

    for _ in range(2):
        with pytest.raises(NotShared):
            share("page", draw)

    assert len(drawn) == 2


def test_while_redis_is_away_each_process_draws_for_itself(store_away):
    drawn, draw = counting()

    assert share("page", draw) == share("page", draw) == "drawing 1"

    with pytest.raises(StoreIsAway):
        share("figures", lambda: str(store().ping()))
    assert len(drawn) == 1


def test_copies_do_not_pile_up():
    for number in range(1000):
        share(f"page {number}", lambda: "x")
        if number % 100 == 0:
            for place in snapshots._places.values():
                place.until = 0.0

    assert len(snapshots._places) <= 400
