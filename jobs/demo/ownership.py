"""The demo keeps to servers of its own."""

from redis import Redis

from jobs import keys


class NotOurs(RuntimeError):
    """The server holds somebody's data; the message says so in one line."""


def claim_server(url: str) -> None:
    """Mark an empty server as the demo's. Raises NotOurs when it holds anything and is not marked."""
    with Redis.from_url(url) as client:
        if client.exists(keys.DEMO):
            return
        if client.dbsize():
            message = "--demo needs a Redis that is empty or its own, and this one holds other data. Use another one."
            raise NotOurs(message)
        client.set(keys.DEMO, 1)
