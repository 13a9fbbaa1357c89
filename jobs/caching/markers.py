"""The refreshing marker: the right to fill an entry, as a lease that its refresher renews while it computes."""

import itertools
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Literal

from redis import Redis

from jobs import keys, scripts
from jobs.caching.entries import to_moment
from jobs.conf import conf
from jobs.connection import StoreAway
from jobs.logs import log

MILLISECOND = timedelta(milliseconds=1)
LEASE = timedelta(seconds=5)
MAX_DURATION = timedelta(minutes=5)
LONGEST_ERROR = 200

Pin = Literal["marker", "token"]

_refreshes = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Marker:
    """A refresh under way. `token` and `generation` decide whether its value may still be written at its end."""

    key: str
    by: str
    token: str
    generation: str


class RefreshFailed(Exception):
    """The source failed a moment ago, for this or another reader, and is left alone for now; says what it raised."""


@dataclass(frozen=True, slots=True)
class Busy:
    """Another refresh is under way: whose, and since when."""

    by: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Filling:
    """What is to be written: a key's JSON text, and for how long it is fresh and then still usable."""

    key: str
    namespace: str
    value: str
    fresh_for: timedelta
    stale_for: timedelta


def begin(client: Redis, key: str, *, by: str = "", token: str = "", lease: timedelta = LEASE) -> Marker | Busy | None:
    """Take the marker of `key` and return it; Busy while another is at it, None when the entry is fresh by now.

    With the `token` of a lock, its holder takes the marker from whoever has it. Raises RefreshFailed.
    """
    name = by or f"{socket.gethostname()}:{os.getpid()}:{next(_refreshes)}"
    taken = scripts.run(
        client,
        "cache_begin",
        [keys.cache(key), keys.refreshing(key), keys.fence(f"cache:{key}")],
        [name, lease // MILLISECOND, token, key],
    )
    first, second, *more = (part.decode(errors="replace") for part in taken) if taken else ("", "")
    if first:
        return Marker(key, name, first, second)
    if len(more) > 1:
        raise RefreshFailed(more[1])
    return Busy(second, to_moment(float(more[0]))) if more else None


def renew(client: Redis, marker: Marker, *, lease: timedelta = LEASE) -> bool:
    """Start the marker's lease anew; False when it is another's by now."""
    arguments = [marker.token, lease // MILLISECOND]
    return bool(scripts.run(client, "cache_renew", [keys.refreshing(marker.key)], arguments))


def give_up(client: Redis, marker: Marker, *, failed: str = "", pause: timedelta = timedelta(0)) -> None:
    """End the refresh without a value: another may begin at once, or when the source was left alone for `pause`."""
    arguments = [marker.token, marker.key, failed[:LONGEST_ERROR], pause // MILLISECOND]
    scripts.run(client, "cache_give_up", [keys.refreshing(marker.key)], arguments)


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
            0 if conf().CACHE_URL else conf().CACHE_MAX_BYTES,
        ],
    )
    return bool(written)


@dataclass(frozen=True, slots=True)
class Keeping:
    """How a marker is kept: at which lease, for how long, and what happens when its source hangs."""

    client: Redis
    marker: Marker
    lease: timedelta
    max_duration: timedelta
    when_hung: Callable[[], None] | None


@contextmanager
def kept(
    client: Redis,
    marker: Marker,
    *,
    lease: timedelta = LEASE,
    max_duration: timedelta = MAX_DURATION,
    when_hung: Callable[[], None] | None = None,
) -> Iterator[None]:
    """Renew the marker at a third of its lease while the block runs, but for `max_duration` at most.

    A source that hangs then loses the right to fill, and `when_hung` is called, by which another may try.
    """
    stop, keeping = threading.Event(), Keeping(client, marker, lease, max_duration, when_hung)
    keeper = threading.Thread(target=_keep, args=(keeping, stop), name=f"refresh {marker.key}", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        stop.set()
        keeper.join()


def _keep(keeping: Keeping, stop: threading.Event) -> None:
    ends, every = time.monotonic() + keeping.max_duration.total_seconds(), keeping.lease.total_seconds() / 3
    while not stop.wait(max(0.0, min(every, ends - time.monotonic()))):
        if time.monotonic() >= ends:
            log.warning("refresh hangs, its marker is given up", key=keeping.marker.key, by=keeping.marker.by)
            with suppress(*StoreAway):
                (keeping.when_hung or partial(give_up, keeping.client, keeping.marker))()
            return
        with suppress(*StoreAway):
            if not renew(keeping.client, keeping.marker, lease=keeping.lease):
                return
