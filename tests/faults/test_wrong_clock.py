"""A machine whose clock is an hour off holds, claims and reclaims like any other: all time is the server's."""

import time
from datetime import timedelta

import pytest

from jobs import locks, reclaims
from jobs.connection import store
from jobs.upkeep import Upkeep
from tests import factories
from tests.waiting import eventually


@pytest.fixture(params=[-3600, 3600], ids=["an hour behind", "an hour ahead"])
def wrong_clock(request, monkeypatch):
    """Set this process's clock off by an hour; its monotonic clock goes on as ever."""
    right = time.time
    monkeypatch.setattr(time, "time", lambda: right() + request.param)


def test_a_lock_is_held_for_its_lease_and_not_stuck(wrong_clock):
    with locks.hold("report:42", lease=timedelta(seconds=2), max_duration=timedelta(minutes=1)) as lease:
        with pytest.raises(locks.LockHeld):
            factories.hold("report:42", holder="bob")
        Upkeep(store(), name="one").step()
        lease.check()

    assert factories.hold("report:42", holder="bob").token > lease.token


def test_a_claim_lapses_when_the_server_says_so_and_not_before(wrong_clock, settings):
    settings.MANDOR = {"VISIBILITY_TIMEOUT": timedelta(milliseconds=300)}
    (job_id,) = factories.enqueue()
    factories.start()

    assert reclaims.reclaim(store(), ["mail"]) == []
    assert [row.job_id for row in eventually(lambda: reclaims.reclaim(store(), ["mail"]))] == [job_id]
