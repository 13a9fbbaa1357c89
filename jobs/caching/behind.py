"""Refresh behind the readers, who have a stale value meanwhile: in a thread of this process."""

import os
import threading
from contextvars import copy_context

from django.db import connections

from jobs.caching import flights, markers
from jobs.caching.markers import Marker, RefreshFailed
from jobs.caching.sources import Source, SourceFailed, run_and_fill
from jobs.connection import CannotStore, cache_store
from jobs.logs import log

MOST = 8


class _Slots:
    """How many refreshes may run at a time; a forked child runs none of its parent's."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.free = threading.BoundedSemaphore(MOST)


_slots = _Slots()
os.register_at_fork(after_in_child=_slots.clear)


def refresh_behind(source: Source) -> None:
    """Begin a refresh and return at once; nothing happens while one of this key, or too many, are under way."""
    flight, mine = flights.board(source.key)
    if not mine:
        return
    free = _slots.free
    if not free.acquire(blocking=False):
        flights.land(flight)
        return
    arguments = (_run, source, flight, free)
    context = copy_context()
    threading.Thread(target=context.run, args=arguments, name=f"refresh {source.key}", daemon=True).start()


def _run(source: Source, flight: flights.Flight, free: threading.BoundedSemaphore) -> None:
    try:
        marker = markers.begin(cache_store(), source.key)
        if isinstance(marker, Marker):
            run_and_fill(source, marker, flight)
    except SourceFailed as failed:
        log.warning("cache refresh failed", key=source.key, exc_info=failed.error)
    except RefreshFailed:
        pass
    except CannotStore as error:
        log.warning("cache not refreshed, Redis cannot", key=source.key, error=str(error))
    finally:
        flights.land(flight)
        free.release()
        connections.close_all()
