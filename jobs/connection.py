"""The way to Redis: one client a process, with the patience that its kind of process can afford."""

from functools import cache

from django.conf import settings
from django_rq.connection_utils import get_connection
from redis import Redis
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.exceptions import ConnectionError as _ConnectionError
from redis.exceptions import OutOfMemoryError, ReadOnlyError, ResponseError
from redis.exceptions import TimeoutError as _TimeoutError
from redis.retry import Retry

from jobs.conf import conf

StoreAway = (_ConnectionError, _TimeoutError)
"""What a call raises when the server cannot be reached or does not answer in time."""

CannotStore = (*StoreAway, OutOfMemoryError)
"""What a write to the cache raises: StoreAway, or that the server is full and evicts nothing."""

REFUSALS = ("OOM ", "READONLY ", "MISCONF ", "NOREPLICAS ", "MASTERDOWN ", "BUSY ")
"""The codes of a server that is full, a replica, or busy, or that cannot write to its disk or to enough replicas."""

WEB_TIMEOUT_S = 1.0
WORKER_TIMEOUT_S = 3.0


class StoreRefuses(_ConnectionError):
    """The server answers, and refuses everybody for a while; one of StoreAway, since what helps is the same."""


def is_refusal(error: ResponseError) -> bool:
    """Return whether an answer says that the server refuses everybody, whatever was asked."""
    return isinstance(error, (OutOfMemoryError, ReadOnlyError)) or any(code in str(error) for code in REFUSALS)


def first_queue() -> str:
    """Return the name of the first queue in `RQ_QUEUES`; all queues of a deployment share its server."""
    return str(next(iter(settings.RQ_QUEUES)))


@cache
def store() -> Redis:
    """Return the client for the jobs' server, with a 1 s timeout and no retry: for web pages, commands and callers.

    Workers use their own, more patient connection.
    """
    return _impatient(get_connection(first_queue()))


@cache
def cache_store() -> Redis:
    """Return the client for the cache's server: `MANDOR["CACHE_URL"]`, or the jobs' server."""
    url = conf().CACHE_URL
    return _impatient(Redis.from_url(url)) if url else store()


def forget_connections() -> None:
    """Drop the clients, as a forked child and a test with another server must."""
    store.cache_clear()
    cache_store.cache_clear()


def patient(client: Redis) -> Redis:
    """Return a client like this one for workers: it gives up on a silent server after 3 s and tries twice more."""
    return _like(client, timeout_s=WORKER_TIMEOUT_S, retry=Retry(ExponentialBackoff(cap=0.3, base=0.05), 2))


def _impatient(client: Redis) -> Redis:
    return _like(client, timeout_s=WEB_TIMEOUT_S, retry=Retry(NoBackoff(), 0))


def _like(client: Redis, *, timeout_s: float, retry: Retry) -> Redis:
    pool = client.connection_pool
    wanted = {"socket_timeout": timeout_s, "socket_connect_timeout": timeout_s, "retry": retry}
    options = {**pool.connection_kwargs, **wanted}
    return Redis(connection_pool=type(pool)(connection_class=pool.connection_class, **options))
