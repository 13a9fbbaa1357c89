"""A worker's counters: those that RQ's readers know, written about once a second and kept while Redis is away."""

import os
from collections.abc import Iterator
from datetime import timedelta

import pytest
from redis import Redis

from jobs import accounts, durations, keys
from jobs.accounts import Accounts
from jobs.connection import store
from tests import factories

SECOND = timedelta(seconds=1)
AWAY = Redis(unix_socket_path=os.devnull)


@pytest.fixture
def noted() -> Iterator[Accounts]:
    """Accounts of two attempts, one of which succeeded."""
    factories.enqueue()
    claim, accounts = factories.start("mail"), Accounts("bench")
    accounts.note(claim, succeeded=True, ran=2 * SECOND)
    accounts.note(claim, succeeded=False, ran=SECOND)
    yield accounts
    durations.flush(store())


def written() -> dict[bytes, bytes]:
    return store().hgetall(keys.worker("bench"))


def test_attempts_are_counted_as_rqs_readers_know_them(noted):
    noted.flush(store(), at_once=True)
    noted.flush(store(), at_once=True)

    assert written() == {
        b"successful_job_count": b"1",
        b"failed_job_count": b"1",
        b"total_working_time": b"3",
    }


def test_they_are_written_once_in_a_while_only(noted, monkeypatch):
    noted.flush(store())
    assert not written()

    monkeypatch.setattr(accounts, "EVERY_S", 0)
    noted.flush(store())

    assert written()


def test_what_cannot_be_written_is_kept(noted):
    noted.flush(AWAY, at_once=True)

    noted.flush(store(), at_once=True)

    assert written()[b"successful_job_count"] == b"1"


def test_how_long_a_job_waited_and_ran_is_counted_too(noted):
    noted.flush(store(), at_once=True)

    counts = store().hgetall(keys.counts("mail"))
    assert counts[b"ran_ms"] == b"3000"
    assert 0 <= int(counts[b"waited_ms"]) < 60_000


@pytest.mark.parametrize("enqueued_at", [b"", b"yesterday"])
def test_a_record_that_does_not_say_when_it_was_enqueued_has_waited_for_an_unknown_time(enqueued_at):
    factories.enqueue()
    claim, own = factories.start("mail"), Accounts("bench")
    claim.record["enqueued_at"] = enqueued_at

    own.note(claim, succeeded=True, ran=SECOND)
    own.flush(store(), at_once=True)

    assert not store().hexists(keys.counts("mail"), "waited_ms")
