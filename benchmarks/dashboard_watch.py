"""What is asked of Redis meanwhile: round trips as they are made here, commands as the server counts them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

from redis.connection import AbstractConnection

SLOW_US = 1_000
OWN = ("info", "slowlog", "config", "client", "hello")


@dataclass
class Seen:
    """Filled in at the end; the slowest command only if it took a millisecond."""

    trips: int = 0
    commands: int = 0
    redis_ms: float = 0.0
    slowest_ms: float = 0.0
    slowest: str = ""


@contextmanager
def watched(client: Any = None) -> Iterator[Seen]:
    """Watch what happens inside; nobody else must be using the server."""
    if client is None:
        from jobs.connection import store

        client = store()
    seen, send = Seen(), AbstractConnection.send_packed_command

    def count(connection: Any, *args: Any, **kwargs: Any) -> Any:
        seen.trips += 1
        return send(connection, *args, **kwargs)

    client.config_set("slowlog-log-slower-than", SLOW_US)
    client.slowlog_reset()
    client.config_resetstat()
    with mock.patch.object(AbstractConnection, "send_packed_command", count):
        yield seen
    _read_server(client, seen)


def _read_server(client: Any, seen: Seen) -> None:
    stats = {
        name.removeprefix("cmdstat_"): each
        for name, each in client.info("commandstats").items()
        if not name.removeprefix("cmdstat_").startswith(OWN)
    }
    seen.commands = sum(each["calls"] for each in stats.values())
    seen.redis_ms = sum(each["usec"] for each in stats.values()) / 1000
    slow = [
        entry
        for entry in client.slowlog_get(1000)
        if not entry["command"].lower().startswith(tuple(o.encode() for o in OWN))
    ]
    if slow:
        worst = max(slow, key=lambda entry: entry["duration"])
        seen.slowest_ms = worst["duration"] / 1000
        seen.slowest = worst["command"].split()[0].decode(errors="replace")
