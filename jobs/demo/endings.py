"""When a process of the demo ends: at Ctrl-C or SIGTERM."""

import signal
from threading import Event, Thread
from typing import Any


def listen_for_end() -> Event:
    """Return an event that is set as soon as somebody asks this process to end."""
    ended = Event()

    def end(*_: Any) -> None:
        # From a thread: the handler may have interrupted `ended.wait` while it holds the lock that `set` needs.
        Thread(target=ended.set).start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    return ended
