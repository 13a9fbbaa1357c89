"""How each cache reads an entry, for the benchmark: a hit, and a read that computes what is missing."""

import asyncio
import json
import threading
from collections.abc import Callable
from datetime import timedelta

MINUTE = timedelta(minutes=1)
VALUE = {"rows": [{"id": number, "name": f"row {number}", "total": number * 3} for number in range(16)]}
URL: list[str] = []
"""The server's, once it runs."""

Read = Callable[[str, Callable[[], object]], object]


def raw() -> Read:
    """Return what reads without computing: a `GET` and `json.loads`, the least that a shared cache can cost."""
    from jobs.connection import store

    return lambda key, _compute: json.loads(store().get(f"raw:{key}") or "null")


def mandor() -> Read:
    from jobs import caching

    def read(key: str, compute: Callable[[], object]) -> object:
        return caching.get_or_refresh(key, compute, fresh_for=MINUTE, stale_for=MINUTE).value

    return read


def django_cache() -> Read:
    from django.core.cache.backends.redis import RedisCache

    cache = RedisCache(URL[0], {})
    return lambda key, compute: cache.get_or_set(key, compute, 60)


def dogpile() -> Read:
    from dogpile.cache import make_region

    arguments = {"url": URL[0], "distributed_lock": True, "thread_local_lock": False, "lock_timeout": 10}
    region = make_region().configure("dogpile.cache.redis", expiration_time=60, arguments=arguments)
    return lambda key, compute: region.get_or_create(f"dogpile:{key}", compute)


def cashews() -> Read:
    from cashews import Cache

    cache = Cache()
    cache.setup(URL[0])
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    async def get(key: str, compute: Callable[[], object]) -> object:
        @cache(ttl="1m", key=key, lock=True)
        async def computed() -> object:
            return await asyncio.to_thread(compute)

        return await computed()

    return lambda key, compute: asyncio.run_coroutine_threadsafe(get(key, compute), loop).result()


READERS = {"mandor": mandor, "Django RedisCache": django_cache, "dogpile.cache": dogpile, "cashews": cashews}


def raw_hit() -> Callable[[], object]:
    from jobs.connection import store

    store().set("raw", json.dumps(VALUE))
    return lambda: json.loads(store().get("raw"))


def django_hit() -> Callable[[], object]:
    from django.core.cache.backends.redis import RedisCache

    cache = RedisCache(URL[0], {})
    cache.set("hit", VALUE)
    return lambda: cache.get("hit")


def dogpile_hit() -> Callable[[], object]:
    read = dogpile()
    return lambda: read("hit", lambda: VALUE)


def mandor_hit() -> Callable[[], object]:
    read = mandor()
    return lambda: read("bench:hit", lambda: VALUE)


def cacheops_hit() -> Callable[[], object]:
    from django.conf import settings

    settings.CACHEOPS_REDIS = URL[0]
    from cacheops import cache

    cache.set("cacheops", VALUE, timeout=600)
    return lambda: cache.get("cacheops")


def cashews_hits() -> Callable[[], object]:
    """Return what reads in a loop of its own for one slice, as its users are coroutines."""
    from cashews import Cache

    cache, loop = Cache(), asyncio.new_event_loop()
    cache.setup(URL[0])
    loop.run_until_complete(cache.set("cashews", VALUE, expire="10m"))
    return lambda: loop.run_until_complete(cache.get("cashews"))


HITS = {
    "mandor": mandor_hit,
    "raw GET + json": raw_hit,
    "Django RedisCache.get": django_hit,
    "dogpile.cache get_or_create": dogpile_hit,
    "django-cacheops cache.get": cacheops_hit,
    "cashews get": cashews_hits,
}
