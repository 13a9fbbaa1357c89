"""The source itself, for readers that fell back: one computation of a key at a time in this process.

A reader shares only a computation that began after it asked, so that it never gets a value from before.
"""

import itertools
import os
import threading
import time
from collections.abc import Callable

MOST_ENDED = 16
"""Ended computations that are kept for readers who asked before they began."""


class _Turn:
    """A computation, and everybody who waits for it. `began` is a monotonic time, or None before it does."""

    def __init__(self) -> None:
        self.began: float | None = None
        self.ended = threading.Event()
        self.value = ""
        self.error: Exception | None = None

    def run(self, compute: Callable[[], str]) -> None:
        try:
            self.value = compute()
        except Exception as error:  # noqa: BLE001  each who waits raises it
            self.error = error


class _Turns:
    """By key, the computation that runs, the one that begins when it has ended, and the one that ended last."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.lock = threading.Lock()
        self.running: dict[str, _Turn] = {}
        self.next: dict[str, _Turn] = {}
        self.ended: dict[str, _Turn] = {}

    def join(self, key: str, asked: float) -> tuple[_Turn, _Turn | None, bool]:
        """Return the turn to wait for, the one that it begins after, and whether the caller is to run it."""
        with self.lock:
            running = self.running.get(key)
            for turn in (running, self.ended.get(key)):
                if turn and turn.began is not None and turn.began >= asked:
                    return turn, None, False
            if key in self.next:
                return self.next[key], None, False
            turn = _Turn()
            (self.next if running else self.running)[key] = turn
            if running is None:
                turn.began = time.monotonic()
            return turn, running, True

    def begin(self, key: str, turn: _Turn) -> None:
        with self.lock:
            if self.next.get(key) is turn:
                self.running[key] = self.next.pop(key)
            turn.began = time.monotonic()

    def end(self, key: str, turn: _Turn) -> None:
        with self.lock:
            if self.running.get(key) is turn:
                del self.running[key]
            self.ended.pop(key, None)
            self.ended[key] = turn
            for other in list(itertools.islice(self.ended, max(0, len(self.ended) - MOST_ENDED))):
                del self.ended[other]
        turn.ended.set()


_turns = _Turns()
os.register_at_fork(after_in_child=_turns.clear)


def compute_in_turn(key: str, compute: Callable[[], str], *, asked: float) -> str:
    """Return the JSON text that `compute` returns, run here or by another thread of this process with the same key.

    `asked`: the monotonic time from which on a computation's value is new enough. Raises what `compute` raises.
    """
    turn, before, mine = _turns.join(key, asked)
    if mine:
        if before:
            before.ended.wait()
            _turns.begin(key, turn)
        try:
            turn.run(compute)
        finally:
            _turns.end(key, turn)
    turn.ended.wait()
    if turn.error:
        raise turn.error
    return turn.value
