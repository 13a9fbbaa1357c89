"""When a process of the demo ends: at Ctrl-C or SIGTERM."""

import signal
from threading import Event


def listen_for_end() -> Event:
    """Return an event that is set as soon as somebody asks this process to end."""
    ended = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    return ended
