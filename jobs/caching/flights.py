"""One refresh of a key at a time in this process: the first thread flies, the others wait for it to land."""

import os
import threading
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(slots=True)
class Flight:
    """A refresh under way. Once landed it has a value (as JSON) or an error for all, or neither: then ask
    again. `by` and `since` say who computes it, here or in another process.
    """

    key: str
    landed: threading.Event = field(default_factory=threading.Event)
    text: str | None = None
    error: Exception | None = None
    by: str = ""
    since: datetime | None = None


class _Sky:
    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.lock = threading.Lock()
        self.flights: dict[str, Flight] = {}


_sky = _Sky()
os.register_at_fork(after_in_child=_sky.clear)


def board(key: str) -> tuple[Flight, bool]:
    """Return the flight of `key` and whether it is the caller's own, which it then must land."""
    with _sky.lock:
        flight = _sky.flights.get(key)
        if flight:
            return flight, False
        flight = _sky.flights[key] = Flight(key)
        return flight, True


def land(flight: Flight) -> None:
    """End a flight: whoever waits goes on, whoever comes later begins a new one."""
    with _sky.lock:
        if _sky.flights.get(flight.key) is flight:
            del _sky.flights[flight.key]
    flight.landed.set()
