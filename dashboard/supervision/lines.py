"""Prints what the children say, each line after the name of who said it."""

import sys
import threading
from typing import IO

COLOURS = (36, 32, 33, 35, 34, 96, 92, 93, 95, 94)
WIDTH = 9
LAST_WORDS_S = 0.2


class Lines:
    """Prints whole lines from any thread; coloured on a terminal. A reader that went away is no reason to end."""

    def __init__(self, output: IO[str] | None = None) -> None:
        self._output = output or sys.stdout
        self._coloured = self._output.isatty()
        self._lock = threading.Lock()
        self._colours: dict[str, int] = {}
        self._pumps: list[threading.Thread] = []

    def say(self, name: str, text: str) -> None:
        """Print one line."""
        prefix = f"{name:<{WIDTH}} |"
        with self._lock:
            if self._coloured:
                colour = self._colours.setdefault(name, COLOURS[len(self._colours) % len(COLOURS)])
                prefix = f"\033[{colour}m{prefix}\033[0m"
            self._write(f"{prefix} {text}\n")

    def follow(self, name: str, source: IO[bytes]) -> None:
        """Print each line that comes out of `source`, from a thread, until it ends."""

        def pump() -> None:
            with source:
                for line in source:
                    self.say(name, line.decode(errors="replace").rstrip())

        pump_thread = threading.Thread(target=pump, name=f"lines of {name}", daemon=True)
        pump_thread.start()
        self._pumps = [thread for thread in self._pumps if thread.is_alive()] + [pump_thread]

    def drain(self) -> None:
        """Wait a moment for the last words of children that have ended."""
        for thread in self._pumps:
            thread.join(timeout=LAST_WORDS_S)

    def _write(self, text: str) -> None:
        try:
            self._output.write(text)
            self._output.flush()
        except (OSError, ValueError):
            return
