"""Is a Redis server fit for the work? Asked once, before anything is started."""

from urllib.parse import urlsplit

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from jobs.logs import log

OLDEST = (6, 2)
PATIENCE_S = 3.0


class UnfitServer(RuntimeError):
    """The server cannot be used; the message says which and why, in one line."""


def check_server(url: str) -> None:
    """Raise UnfitServer unless a Redis at `url` answers and is not too old. Valkey too tells Redis's version."""
    try:
        client = Redis.from_url(
            url,
            protocol=2,
            socket_timeout=PATIENCE_S,
            socket_connect_timeout=PATIENCE_S,
            retry=Retry(NoBackoff(), 0),
        )
        with client:
            version = str(client.info("server").get("redis_version", "0"))
    except (RedisError, ValueError, OSError) as error:
        message = f"Redis at {_without_password(url)} cannot be used: {' '.join(str(error).split())}"
        raise UnfitServer(message) from None
    if _read_version(version) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        message = f"Redis at {_without_password(url)} is version {version}; it takes {oldest} or later."
        raise UnfitServer(message)


def warn_of_eviction(client: Redis) -> None:
    """Log a warning when the server may drop jobs and locks to make room: they need the policy `noeviction`."""
    memory = client.info("memory")
    policy = memory.get("maxmemory_policy", "noeviction")
    if memory.get("maxmemory") and policy != "noeviction":
        log.warning("Redis may drop jobs and locks", maxmemory_policy=policy, wanted="noeviction")


def _read_version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2] if part.isdigit())


def _without_password(url: str) -> str:
    before, at, host = url.rpartition("@")
    return f"{urlsplit(before).scheme}://…@{host}" if at else url
