"""Whether the servers answer."""

from redis import Redis

from jobs.connection import StoreAway, cache_store, store


def list_away() -> list[str]:
    """Return which servers do not answer: `redis`, and `cache` where it has a server of its own."""
    servers = {"redis": store()} if cache_store() is store() else {"redis": store(), "cache": cache_store()}
    return [name for name, client in servers.items() if not _answers(client)]


def _answers(client: Redis) -> bool:
    try:
        return bool(client.ping())
    except StoreAway:
        return False
