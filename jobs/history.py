"""A sample of the figures each ten seconds, for an hour: what the sparklines and the throughput are drawn from."""

import json

from django.conf import settings
from redis import Redis

from jobs import keys
from jobs.conf import conf
from jobs.connection import StoreAway, cache_store

EVERY_MS = 10_000
KEPT = 360


def list_queue_names(client: Redis) -> list[str]:
    """Return the names of all queues: those of the settings and those RQ has seen, sorted."""
    prefix = keys.queue()
    seen = (_text(member).removeprefix(prefix) for member in client.smembers(keys.QUEUES))
    return sorted({*settings.RQ_QUEUES, *seen})


def sample(client: Redis, queues: list[str]) -> None:
    """Write a sample of every queue and of the whole, unless the last one is younger than ten seconds."""
    pipe = client.pipeline(transaction=False)
    pipe.time()
    pipe.lindex(keys.history(), 0)
    (seconds, micro), newest = pipe.execute()
    now_ms = seconds * 1000 + micro // 1000
    if now_ms - _taken_at(newest) < EVERY_MS:
        return
    samples = {queue: _read_queue(client, queue) for queue in queues}
    whole = {name: sum(row[name] for row in samples.values()) for name in _QUEUE_FIGURES} | _read_whole(client)
    pipe = client.pipeline(transaction=False)
    for queue, figures in (samples | {"": whole}).items():
        pipe.lpush(keys.history(queue), json.dumps({"at": now_ms} | figures))
        pipe.ltrim(keys.history(queue), 0, KEPT - 1)
    pipe.execute()


def _text(name: bytes | str) -> str:
    return name if isinstance(name, str) else name.decode(errors="replace")


def _taken_at(newest: bytes | None) -> int:
    """Return when a sample was taken; 0 for none, or one that cannot be read."""
    try:
        return int(json.loads(newest or b"{}")["at"])
    except (ValueError, KeyError, TypeError):
        return 0


_QUEUE_FIGURES = ("waiting", "in_flight", "scheduled", "dead", "finished", "failed")


def _read_queue(client: Redis, queue: str) -> dict[str, int]:
    pipe = client.pipeline(transaction=False)
    pipe.llen(keys.queue(queue))
    pipe.zcard(keys.started(queue))
    pipe.zcard(keys.scheduled(queue))
    pipe.zcard(keys.failed(queue))
    pipe.hmget(keys.counts(queue), "finished", "failed")
    *sizes, lifetime = pipe.execute()
    return dict(zip(_QUEUE_FIGURES, [*sizes, *(int(count or 0) for count in lifetime)], strict=True))


def _read_whole(client: Redis) -> dict[str, int]:
    pipe = client.pipeline(transaction=False)
    pipe.zcard(keys.LOCKS)
    pipe.scard(keys.WORKERS)
    locks, workers = pipe.execute()
    return {"locks": locks, "workers": workers} | _read_reads(cache_store() if conf().CACHE_URL else client)


def _read_reads(client: Redis) -> dict[str, int]:
    """Return the cache's counters, summed; nothing while the cache's own server is away."""
    figures = ("hits", "stale", "misses")
    try:
        pipe = client.pipeline(transaction=False)
        for namespace in client.smembers(keys.CACHE_NAMESPACES):
            pipe.hmget(keys.cache_counts(_text(namespace)), *figures)
        rows = pipe.execute()
    except StoreAway:
        if conf().CACHE_URL:
            return {}
        raise
    totals = [sum(int(row[i] or 0) for row in rows) for i in range(len(figures))]
    return dict(zip(figures, totals, strict=True))
