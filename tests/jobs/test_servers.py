import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest
import structlog
from django.conf import settings

from jobs.connection import store
from jobs.servers import UnfitServer, check_server, warn_of_eviction


@contextmanager
def server_of_version(version: str) -> Iterator[str]:
    """Stand in for a server that is too old to be had: it says OK, and its version when asked."""
    info = f"# Server\r\nredis_version:{version}\r\n"

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            while request := connection.recv(4096):
                answer = f"${len(info)}\r\n{info}\r\n" if b"INFO" in request else "+OK\r\n" * request.count(b"*")
                connection.sendall(answer.encode())

    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=serve, args=[listener], daemon=True).start()
        yield f"redis://:secret@127.0.0.1:{listener.getsockname()[1]}/0"


def test_the_embedded_server_is_fit() -> None:
    check_server(settings.REDIS_URL)


def test_a_server_older_than_6_2_is_refused() -> None:
    with (
        server_of_version("6.0.16") as url,
        pytest.raises(UnfitServer, match=r"Redis at redis://…@127\.0\.0\.1:\d+/0 is version 6\.0\.16; it takes 6\.2"),
    ):
        check_server(url)


@pytest.mark.parametrize("url", ["redis://:secret@127.0.0.1:1/0", "nonsense://host", "unix:///nowhere.sock?db=0"])
def test_a_server_that_cannot_be_reached_is_refused_in_one_line_without_its_password(url: str) -> None:
    with pytest.raises(UnfitServer, match=re.escape("cannot be used: ")) as refusal:
        check_server(url)

    assert "secret" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(("policy", "warned"), [("allkeys-lru", True), ("noeviction", False)])
def test_a_server_that_may_drop_jobs_is_warned_of(policy: str, warned: bool):
    store().config_set("maxmemory", "100mb")
    store().config_set("maxmemory-policy", policy)

    with structlog.testing.capture_logs() as lines:
        warn_of_eviction(store())

    store().config_set("maxmemory", "0")
    store().config_set("maxmemory-policy", "noeviction")
    assert bool(lines) is warned
