"""The code that hangs with a lock."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from threading import Event, Thread

import pytest

from jobs import locks
from jobs.demo.holder import HOLDER, RESOURCE, Pace, hold_now_and_then
from jobs.reads.locks import show_lock
from tests.waiting import eventually

SECOND = timedelta(seconds=1)
TIRELESS = Pace(first=SECOND / 10, lease=SECOND, max_duration=60 * SECOND, pause=SECOND / 10)
BRIEF = Pace(first=SECOND / 10, lease=SECOND, max_duration=SECOND / 2, pause=SECOND / 10)
Start = Callable[[Pace], Callable[[], None]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a holder in a thread; returns what ends it."""
    ended = Event()
    threads: list[Thread] = []

    def end() -> None:
        ended.set()
        for thread in threads:
            thread.join(10)
            assert not thread.is_alive()

    def start_holder(pace: Pace) -> Callable[[], None]:
        threads.append(Thread(target=hold_now_and_then, args=[pace], kwargs={"ended": ended}))
        threads[-1].start()
        return end

    yield start_holder
    end()


def held_with() -> int:
    """Return the token of the present hold, 0 while there is none."""
    hold = show_lock(RESOURCE).hold
    return int(hold.token) if hold and hold.holder == HOLDER else 0


def test_a_lock_released_by_a_person_is_noticed_and_taken_again_later(start: Start):
    start(TIRELESS)
    token = eventually(held_with)

    assert locks.force_release(RESOURCE, token=token, by="ann", reason="it hangs")

    assert eventually(lambda: held_with() not in {0, token})


def test_it_renews_until_the_lock_is_stuck_and_then_to_the_end_of_its_renewals(start: Start):
    start(BRIEF)
    token = eventually(held_with)

    assert eventually(lambda: (hold := show_lock(RESOURCE).hold) and hold.stuck)

    assert eventually(lambda: held_with() not in {0, token})


def test_at_its_end_it_gives_the_lock_back(start: Start):
    end = start(TIRELESS)
    eventually(held_with)

    end()

    assert not held_with()
