"""Invalidate an entry, or a whole namespace: from then on no reader gets a value from before."""

from jobs import keys, scripts
from jobs.connection import cache_store
from jobs.logs import log


def invalidate(key: str) -> None:
    """Make the entry of `key` go at once. A refresh under way, which read the data from before, will be refused.

    Raises a member of StoreAway when the server is away.
    """
    scripts.run(cache_store(), "cache_invalidate", [keys.cache_guard(key), keys.refreshing(key)], [key])
    log.info("cache invalidated", key=key)


def invalidate_namespace(name: str) -> int:
    """Make all entries of a namespace go at once, however many, and have refreshes under way refused.

    Returns how many entries there were. Raises a member of StoreAway when the server is away.
    """
    held: int = scripts.run(cache_store(), "cache_clear", [keys.cache_version(name), keys.cache_keys(name)], [])
    log.info("cache namespace invalidated", namespace=name, entries=held)
    return held
