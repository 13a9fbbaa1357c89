"""The refreshing marker: the right to fill an entry, as a lease that its refresher renews while it computes."""

import itertools
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from redis import Redis

from jobs import keys, scripts
from jobs.connection import StoreAway
from jobs.logs import log

MILLISECOND = timedelta(milliseconds=1)
LEASE = timedelta(seconds=5)
LONGEST = timedelta(minutes=5)

Pin = Literal["marker", "token"]

_refreshes = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Marker:
    """A refresh under way. `token` and `generation` decide whether its value may still be written at its end."""

    key: str
    by: str
    token: str
    generation: str


@dataclass(frozen=True, slots=True)
class Filling:
    """What is to be written: a key's JSON text, and for how long it is fresh and then still usable."""

    key: str
    namespace: str
    value: str
    fresh_for: timedelta
    stale_for: timedelta


def begin(client: Redis, key: str, *, by: str = "", token: str = "", lease: timedelta = LEASE) -> Marker | None:
    """Take the marker of `key` and return it; None while another is at it, or when the entry is fresh by now.

    With the `token` of a lock, its holder takes the marker from whoever has it.
    """
    name = by or f"{socket.gethostname()}:{os.getpid()}:{next(_refreshes)}"
    taken = scripts.run(
        client,
        "cache_begin",
        [keys.cache(key), keys.cache_guard(key), keys.refreshing(key), keys.fence(f"cache:{key}")],
        [name, lease // MILLISECOND, token],
    )
    return Marker(key, name, taken[0].decode(), taken[1].decode()) if taken else None


def renew(client: Redis, marker: Marker, *, lease: timedelta = LEASE) -> bool:
    """Start the marker's lease anew; False when it is another's by now."""
    arguments = [marker.token, lease // MILLISECOND]
    return bool(scripts.run(client, "cache_renew", [keys.refreshing(marker.key)], arguments))


def give_up(client: Redis, marker: Marker) -> None:
    """Take the marker away, so that another may begin at once."""
    scripts.run(client, "cache_give_up", [keys.refreshing(marker.key)], [marker.token])


def fill(client: Redis, marker: Marker, filling: Filling, *, took: timedelta, pin: Pin) -> bool:
    """Write the entry and end the refresh, which took that long; False when it was refused.

    Refused are a token below the highest seen, a refresh begun before an invalidation and, with `pin="marker"`, one
    whose marker lapsed or was taken over.
    """
    written = scripts.run(
        client,
        "cache_fill",
        [
            keys.cache(marker.key),
            keys.cache_guard(marker.key),
            keys.refreshing(marker.key),
            keys.CACHE_INDEX,
            keys.CACHE_NAMESPACES,
        ],
        [
            marker.key,
            filling.namespace,
            filling.value,
            marker.token,
            marker.generation,
            filling.fresh_for // MILLISECOND,
            (filling.fresh_for + filling.stale_for) // MILLISECOND,
            marker.by,
            took // MILLISECOND,
            pin,
        ],
    )
    return bool(written)


@contextmanager
def kept(client: Redis, marker: Marker, *, lease: timedelta = LEASE) -> Iterator[None]:
    """Renew the marker at a third of its lease while the block runs, but for five minutes at most.

    A source that hangs then loses the right to fill, and another may try.
    """
    stop = threading.Event()
    keeper = threading.Thread(
        target=_keep, args=(client, marker, lease, stop), name=f"refresh {marker.key}", daemon=True
    )
    keeper.start()
    try:
        yield
    finally:
        stop.set()
        keeper.join()


def _keep(client: Redis, marker: Marker, lease: timedelta, stop: threading.Event) -> None:
    give_up_at = time.monotonic() + LONGEST.total_seconds()
    while not stop.wait(lease.total_seconds() / 3):
        if time.monotonic() > give_up_at:
            log.warning("refresh hangs, its marker is given up", key=marker.key, by=marker.by)
            with suppress(*StoreAway):
                give_up(client, marker)
            return
        with suppress(*StoreAway):
            if not renew(client, marker, lease=lease):
                return
