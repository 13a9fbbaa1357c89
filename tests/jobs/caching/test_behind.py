"""Refreshes behind the readers: few threads that stay, and readers who ask no more than they must."""

import threading
from datetime import timedelta

import pytest

from jobs import caching
from jobs.caching import State, behind
from jobs.connection import store
from tests.jobs.caching.test_refreshes import FLASH, KEY, Gate, make_stale, refresh
from tests.waiting import eventually


def refreshers() -> int:
    return sum(thread.name == "cache refresher" for thread in threading.enumerate())


def test_of_the_readers_of_one_process_one_asks_who_is_at_it():
    make_stale("old")
    source = Gate()
    assert refresh(source).state is State.STALE
    assert source.entered.wait(5)
    store().config_resetstat()

    entries = [refresh(source) for _ in range(5)]
    asked = store().info("commandstats")
    source.opened.set()

    assert {(entry.state, entry.value) for entry in entries} == {(State.REFRESHING, "old")}
    assert all(entry.refreshing_by and entry.age > timedelta(0) for entry in entries)
    assert "cmdstat_hmget" not in asked
    eventually(lambda: caching.read(KEY).value == "new")


def test_the_threads_stay_for_the_next_refresh():
    for round_ in range(5):
        make_stale(round_)
        refresh(lambda: "new")
        eventually(lambda: caching.read(KEY).state is State.HIT)
        caching.invalidate(KEY)

    assert 1 <= refreshers() <= behind.MOST


def test_while_too_many_refreshes_are_under_way_a_reader_is_served_and_begins_none(monkeypatch):
    monkeypatch.setattr(behind, "MOST", 0)
    make_stale("old")

    entry = refresh(lambda: pytest.fail("computed"))

    assert (entry.state, entry.value) == (State.STALE, "old")
    assert refresh(lambda: "new", fresh_for=FLASH).state is State.STALE
