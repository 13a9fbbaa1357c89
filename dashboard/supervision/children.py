"""One running part: a process in a session of its own, so that Ctrl-C in the terminal does not reach it."""

import contextlib
import os
import signal
import subprocess
import time
from datetime import timedelta

from dashboard.supervision.lines import Lines
from dashboard.supervision.parts import Part

LIVED_WELL = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(seconds=30)
KILLED_WITHIN_S = 1.0
SECOND = timedelta(seconds=1)


class Child:
    """A part's process, started again when it dies: at once if it lived well, else after 1, 2, 4 … 30 s."""

    def __init__(self, part: Part, number: int, environment: dict[str, str], lines: Lines) -> None:
        self.name = f"{part.name}.{number}" if part.count > 1 else part.name
        self.part = part
        self._environment = environment
        self._lines = lines
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._due = 0.0
        self._early_deaths = 0

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the process and print what it says under its name."""
        self._started = time.monotonic()
        self._process = subprocess.Popen(
            self.part.argv,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        if self._process.stdout:
            self._lines.follow(self.name, self._process.stdout)

    def bury(self) -> int | None:
        """Return the pid of a process that has died since the last call, and settle when the next one starts."""
        if self._process is None or self._process.poll() is None:
            return None
        pid, status = self._process.pid, self._process.returncode
        self._process = None
        _signal_group(pid, signal.SIGKILL)
        pause = self._pause()
        self._due = time.monotonic() + pause.total_seconds()
        again = f"in {pause.total_seconds():g} s" if pause else "at once"
        self._lines.say(self.name, f"{_describe_end(status)}; it starts again {again}.")
        return pid

    def due(self) -> bool:
        """Return whether it has died and its pause is over."""
        return self._process is None and time.monotonic() >= self._due

    def terminate(self) -> None:
        """Ask the process to end; what it started itself is its own business."""
        if self._process and self.alive():
            self._process.terminate()

    def kill(self) -> None:
        """End the process and its group, and return once it is gone."""
        if self._process and self.alive():
            _signal_group(self._process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(KILLED_WITHIN_S)

    def _pause(self) -> timedelta:
        lived = timedelta(seconds=time.monotonic() - self._started)
        self._early_deaths = 0 if lived >= LIVED_WELL else self._early_deaths + 1
        return min(SECOND * 2 ** (self._early_deaths - 1), LONGEST_PAUSE) if self._early_deaths else timedelta(0)


def _signal_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _describe_end(status: int) -> str:
    return f"killed by {signal.Signals(-status).name}" if status < 0 else f"ended with exit code {status}"
