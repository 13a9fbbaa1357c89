"""A fail-over that loses the newest writes: fencing tokens are never equal and never go back."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from redis import Redis

from dashboard.embedded import EmbeddedServer, start_server
from jobs import locks
from jobs.connection import forget_connections
from tests.waiting import eventually

MINUTE = timedelta(minutes=1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def pair(tmp_path) -> Iterator[tuple[EmbeddedServer, EmbeddedServer]]:
    """A primary and its replica, in step."""
    primary, replica = (start_server(tmp_path / name, persistent=False) for name in ("primary", "replica"))
    port = free_port()
    Redis.from_url(primary.url).config_set("port", port)
    Redis.from_url(replica.url).replicaof("127.0.0.1", port)
    eventually(lambda: Redis.from_url(replica.url).info("replication")["master_link_status"] == "up")
    yield primary, replica
    replica.stop()
    primary.stop()


@pytest.fixture
def on(settings):
    """Talk to one server inside a block."""

    @contextmanager
    def talk_to(server: EmbeddedServer) -> Iterator[None]:
        settings.RQ_QUEUES = {"mail": {"URL": server.url}}
        forget_connections()
        yield

    yield talk_to
    forget_connections()


def take() -> locks.Lease:
    return locks.acquire("report:42", holder="ann", lease=MINUTE, max_duration=MINUTE)


def test_a_promoted_replica_that_missed_the_last_hold_gives_a_greater_token(pair, on):
    primary, replica = pair
    with on(primary):
        locks.release(take())
        eventually(lambda: Redis.from_url(replica.url).exists("mandor:fence:report:42"))
        Redis.from_url(replica.url).replicaof("no", "one")
        lost = take()

    with on(replica):
        after = take()

    assert after.token > lost.token
