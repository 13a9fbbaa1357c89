"""Ends the children when their supervisor was killed and could not do it: a small process that watches a pipe.

The supervisor writes which children there are into the pipe. When its end closes, be it by SIGKILL, whoever is left
is ended. Until then this process also keeps the folder's lock, so that the next `up` waits for it.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from typing import IO

PATIENCE: tuple[timedelta, ...] = (timedelta(seconds=5), timedelta(seconds=1.5))
STEP_S = 0.05


class Lifeline:
    """The supervisor's end. `keep` is a file that stays open until all children have ended."""

    def __init__(self, keep: IO[str]) -> None:
        self._keep = keep
        self._pids: set[int] = set()
        self._watcher = self._start()

    def add(self, pid: int) -> None:
        """Name a child that must not outlive the supervisor."""
        self._pids.add(pid)
        self._tell(f"+{pid}")

    def remove(self, pid: int) -> None:
        """Say that a child has ended."""
        self._pids.discard(pid)
        self._tell(f"-{pid}")

    def close(self) -> None:
        """Let the watcher end; it ends whom it still knows first."""
        with contextlib.suppress(BrokenPipeError):
            self._watcher.communicate()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-I", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=[self._keep.fileno()],
        )

    def _tell(self, line: str) -> None:
        if self._watcher.poll() is not None:
            self._watcher = self._start()
            line = "\n".join(f"+{pid}" for pid in self._pids)
        if self._watcher.stdin:
            self._watcher.stdin.write(f"{line}\n".encode())
            self._watcher.stdin.flush()


def watch(pipe: IO[str]) -> None:
    """Keep the list of children until the pipe closes, then end those that are left."""
    pids: set[int] = set()
    for line in pipe:
        change = pids.add if line.startswith("+") else pids.discard
        change(int(line[1:]))
    end_sessions(pids)


def end_sessions(pids: set[int]) -> None:
    """Ask each of these session leaders to end, once more after a while, and kill who is still there."""
    for patience in PATIENCE:
        for pid in _leaders(pids):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + patience.total_seconds()
        while _leaders(pids) and time.monotonic() < deadline:
            time.sleep(STEP_S)
    for pid in _leaders(pids):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def _leaders(pids: set[int]) -> list[int]:
    """Return those that are still what was started: a process id that was given out again leads no session."""
    return [pid for pid in pids if _leads_session(pid)]


def _leads_session(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        return os.getsid(pid) == pid
    return False


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    watch(sys.stdin)
