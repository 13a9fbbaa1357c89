"""Django's own Redis cache, counted, with a `get_or_set` that computes once over all processes."""

import re
import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.cache.backends.base import DEFAULT_TIMEOUT, default_key_func
from django.core.cache.backends.redis import RedisCache
from django.utils.functional import cached_property
from redis import Redis

from jobs.caching import markers
from jobs.caching.counters import count
from jobs.caching.lookups import find_next
from jobs.caching.markers import Marker

LONGEST_WAIT = timedelta(seconds=30)
BATCH = 500
MOST_PREFIXES = 50
GLOB = re.compile(r"([*?\[\]\\])")

_missing = object()


class SharedCache(RedisCache):
    """For `CACHES[…]["BACKEND"]`: values lie as Django stores them; hits and misses are counted.

    They count as `django:<alias>`, or `django:<alias>:<prefix>` for a key with a prefix, its part before the first
    colon; of prefixes beyond the first fifty that a process meets the alias alone.

    One more difference: `clear()` deletes this cache's keys, not the whole database, in which the jobs may lie too.
    """

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._config = {**params, "LOCATION": server}
        self._prefixes: set[str] = set()

    @cached_property
    def namespace(self) -> str:
        """Where this cache's hits and misses are counted."""
        for alias, config in settings.CACHES.items():
            if {"LOCATION": "", **config, "BACKEND": None} == {**self._config, "BACKEND": None}:
                return f"django:{alias}"
        return "django"

    def counted_as(self, key: Any) -> str:
        """Return where reads of a key are counted."""
        prefix, colon, _ = str(key).partition(":")
        if not colon or not prefix or (prefix not in self._prefixes and len(self._prefixes) >= MOST_PREFIXES):
            return self.namespace
        self._prefixes.add(prefix)
        return f"{self.namespace}:{prefix}"

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        value = super().get(key, _missing, version=version)
        if value is _missing:
            count(self.counted_as(key), misses=1)
            return default
        count(self.counted_as(key), hits=1)
        return value

    def get_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        wanted = list(keys)
        found: dict[Any, Any] = super().get_many(wanted, version=version)
        for key in wanted:
            count(self.counted_as(key), **{"hits" if key in found else "misses": 1})
        return found

    def get_or_set(
        self,
        key: Any,
        default: Any,
        timeout: float | None = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> Any:
        """Return the value of `key`; a missing one is computed by one caller of all processes, the others wait for it.

        They wait for 30 seconds at most, and then compute it too.
        """
        value = self.get(key, _missing, version=version)
        if value is not _missing:
            return value
        if callable(default):
            return self._compute_once(key, default, timeout, version)
        return self._add(key, default, timeout, version)

    async def aget_or_set(
        self,
        key: Any,
        default: Any,
        timeout: float | None = DEFAULT_TIMEOUT,  # noqa: ASYNC109  it is how long the value lives
        version: int | None = None,
    ) -> Any:
        return await sync_to_async(self.get_or_set, thread_sensitive=True)(key, default, timeout, version)

    def clear(self) -> bool:  # type: ignore[override]  # as Django's own answers
        if self.key_func is not default_key_func:
            return bool(super().clear())
        client = self._client()
        own = GLOB.sub(r"\\\1", self.key_prefix) + ":*"
        batch: list[bytes] = []
        for found in client.scan_iter(match=own, count=BATCH):
            batch.append(found)
            if len(batch) >= BATCH:
                client.unlink(*batch)
                batch.clear()
        if batch:
            client.unlink(*batch)
        return True

    def _compute_once(self, key: Any, compute: Callable[[], Any], timeout: float | None, version: int | None) -> Any:
        client = self._client()
        name = f"django:{self.make_and_validate_key(key, version=version)}"
        deadline = time.monotonic() + LONGEST_WAIT.total_seconds()
        while time.monotonic() < deadline:
            begun = markers.begin(client, name)
            marker = begun if isinstance(begun, Marker) else None
            try:
                value = super().get(key, _missing, version=version)
                if value is not _missing:
                    return value
                if marker:
                    with markers.kept(client, marker):
                        return self._add(key, compute(), timeout, version)
            finally:
                if marker:
                    markers.give_up(client, marker)
            find_next(client, name, deadline=deadline)
        return self._add(key, compute(), timeout, version)

    def _add(self, key: Any, value: Any, timeout: float | None, version: int | None) -> Any:
        """Store a value unless another was stored meanwhile, and return what is there."""
        self.add(key, value, timeout=timeout, version=version)
        return super().get(key, value, version=version)

    def _client(self) -> Redis:
        client: Redis = self._cache.get_client(write=True)
        return client
