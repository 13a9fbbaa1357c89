"""Durations: counted in memory, written in one go, and not lost while Redis is away."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from redis import Redis
from redis.connection import AbstractConnection

from jobs import durations, keys
from jobs.connection import store

SECOND = timedelta(seconds=1)
AWAY = Redis(unix_socket_path=os.devnull)


@pytest.fixture(autouse=True)
def nothing_counted() -> Iterator[None]:
    durations.flush(store())
    store().flushall()
    yield
    durations.flush(store())


def counted(queue: str = "mail") -> dict[str, int]:
    durations.flush(store())
    return {field.decode(): int(count) for field, count in store().hgetall(keys.counts(queue)).items()}


def test_what_waited_and_ran_falls_into_a_bucket_each_and_into_a_sum():
    durations.note("mail", waited=3 * SECOND, ran=timedelta(milliseconds=42))

    assert counted() == {"waited_le_3000": 1, "waited_ms": 3000, "ran_le_50": 1, "ran_ms": 42}


def test_an_unknown_wait_is_not_counted():
    durations.note("mail", waited=None, ran=SECOND)

    assert counted() == {"ran_le_1000": 1, "ran_ms": 1000}


@pytest.mark.parametrize(
    ("took", "limit"),
    [(timedelta(0), "1"), (-SECOND, "1"), (timedelta(hours=1), "3600000"), (timedelta(hours=1, seconds=1), "inf")],
)
def test_every_duration_has_a_bucket(took: timedelta, limit: str):
    durations.note("mail", waited=None, ran=took)

    assert counted()[f"ran_le_{limit}"] == 1


def test_queues_are_counted_apart():
    durations.note("mail", waited=None, ran=SECOND)
    durations.note("reports", waited=None, ran=2 * SECOND)

    assert counted("mail")["ran_ms"] == 1000
    assert counted("reports")["ran_ms"] == 2000


def test_threads_lose_no_count():
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda _: durations.note("mail", waited=SECOND, ran=SECOND), range(500)):
            pass

    assert counted()["ran_le_1000"] == 500


def test_what_redis_did_not_take_is_written_the_next_time():
    durations.note("mail", waited=None, ran=SECOND)

    durations.flush(AWAY)
    durations.note("mail", waited=None, ran=SECOND)

    assert counted()["ran_le_1000"] == 2


def test_a_flush_is_one_round_trip_and_none_when_nothing_was_counted(monkeypatch: pytest.MonkeyPatch):
    durations.note("mail", waited=SECOND, ran=SECOND)
    durations.note("reports", waited=SECOND, ran=SECOND)
    trips = []
    send = AbstractConnection.send_packed_command
    monkeypatch.setattr(
        AbstractConnection, "send_packed_command", lambda self, *a, **o: trips.append(1) or send(self, *a, **o)
    )

    durations.flush(store())
    durations.flush(store())

    assert len(trips) == 1
