"""Invalidate an entry: from then on no reader gets a value from before."""

from jobs import keys, scripts
from jobs.connection import cache_store
from jobs.logs import log


def invalidate(key: str) -> None:
    """Make the entry of `key` go at once. A refresh under way, which read the data from before, will be refused.

    Raises a member of StoreAway when the server is away.
    """
    scripts.run(
        cache_store(),
        "cache_invalidate",
        [keys.cache(key), keys.cache_guard(key), keys.refreshing(key), keys.CACHE_INDEX],
        [key],
    )
    log.info("cache invalidated", key=key)
