"""Refresh behind the readers, who have a stale value meanwhile: in a thread of this process."""

import os
import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue

from django.db import connections

from jobs.caching import flights, markers
from jobs.caching.markers import Busy, Marker, RefreshFailed
from jobs.caching.sources import Source, SourceFailed, run_and_fill
from jobs.connection import CannotStore, cache_store
from jobs.logs import log

MOST = 8

Work = Callable[[], None]


class _Refreshers:
    """The threads that refresh. They are started as they are needed, eight at most, and stay with their connections.

    A forked child has none of its parent's.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.lock = threading.Lock()
        self.works: SimpleQueue[Work] = SimpleQueue()
        self.threads = self.busy = 0

    def take(self, work: Work) -> bool:
        """Begin a work now; False while all are busy."""
        with self.lock:
            if self.busy >= MOST:
                return False
            self.busy += 1
            more = self.busy > self.threads
            self.threads += more
        self.works.put(work)
        if more:
            threading.Thread(target=self.run, args=(self.works,), name="cache refresher", daemon=True).start()
        return True

    def run(self, works: "SimpleQueue[Work]") -> None:
        while True:
            try:
                works.get()()
            except Exception:  # noqa: BLE001  the thread serves the next refresh too
                log.exception("cache refresh failed")
            finally:
                with self.lock:
                    self.busy -= 1


_refreshers = _Refreshers()
os.register_at_fork(after_in_child=_refreshers.clear)


def refresh_behind(source: Source, flight: flights.Flight) -> None:
    """Begin a refresh, which lands the flight, and return at once; while too many are under way it just lands."""
    if not _refreshers.take(partial(copy_context().run, _refresh, source, flight)):
        flights.land(flight)


def _refresh(source: Source, flight: flights.Flight) -> None:
    try:
        begun = markers.begin(cache_store(), source.key)
        if isinstance(begun, Busy):
            flight.by, flight.since = begun.by, begun.since
        elif isinstance(begun, Marker):
            flight.by = begun.by
            run_and_fill(source, begun, flight)
    except SourceFailed as failed:
        log.warning("cache refresh failed", key=source.key, exc_info=failed.error)
    except RefreshFailed:
        pass
    except CannotStore as error:
        log.warning("cache not refreshed, Redis cannot", key=source.key, error=str(error))
    finally:
        flights.land(flight)
        connections.close_all()
