"""The source itself, for readers that fell back: one computation of a key at a time in this process.

A reader shares only a computation that begins after it asked, so that it never gets a value from before.
"""

import os
import threading
from collections.abc import Callable
from weakref import WeakValueDictionary


class _Turn:
    """A computation that has not begun, and everybody who waits for it."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.value = ""
        self.error: Exception | None = None

    def run(self, compute: Callable[[], str]) -> None:
        try:
            self.value = compute()
        except Exception as error:  # noqa: BLE001  each who waits raises it
            self.error = error
        finally:
            self.ended.set()


class _Turns:
    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.lock = threading.Lock()
        self.next: dict[str, _Turn] = {}
        self.gates: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()


_turns = _Turns()
os.register_at_fork(after_in_child=_turns.clear)


def compute_in_turn(key: str, compute: Callable[[], str]) -> str:
    """Return the JSON text that `compute` returns, run here or by another thread of this process with the same key.

    Raises what it raises.
    """
    with _turns.lock:
        gate = _turns.gates.setdefault(key, threading.Lock())
        turn = _turns.next.get(key)
        mine = turn is None
        if turn is None:
            turn = _turns.next[key] = _Turn()
    if mine:
        with gate:
            with _turns.lock:
                del _turns.next[key]
            turn.run(compute)
    turn.ended.wait()
    if turn.error:
        raise turn.error
    return turn.value
