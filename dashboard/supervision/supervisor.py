"""Starts the parts, starts again what dies, and ends all of them in order."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from dashboard.embedded import EmbeddedServer, EmbeddedServerFailed, start_server
from dashboard.supervision import lifeline
from dashboard.supervision.children import Child
from dashboard.supervision.lifeline import Lifeline
from dashboard.supervision.lines import Lines
from dashboard.supervision.parts import ENDS_FIRST, ENDS_LAST, Part

PATIENCE = {ENDS_FIRST: lifeline.PATIENCE, ENDS_LAST: (timedelta(seconds=1.5),)}
"""How long to wait after each request to end; who is still there after the last one is killed."""

SERVER_PATIENCE = timedelta(seconds=1)
SERVER_PAUSE_S = 5.0
STEP_S = 0.1


class Supervisor:
    """The children of one `up`, and the embedded server if it uses one."""

    def __init__(
        self,
        parts: Sequence[Part],
        environment: dict[str, str],
        *,
        lines: Lines,
        lifeline: Lifeline,
        server: EmbeddedServer | None = None,
    ) -> None:
        self.children = [
            Child(part, number, environment, lines) for part in parts for number in range(1, part.count + 1)
        ]
        self.server = server
        self._lines = lines
        self._lifeline = lifeline
        self._server_due = 0.0

    def start(self) -> None:
        """Start every child."""
        for child in self.children:
            self._start(child)

    def watch(self, until: Callable[[], bool]) -> None:
        """Start again whatever dies, until `until` says so."""
        while not until():
            self._revive_server()
            for child in self.children:
                self._revive(child)
            time.sleep(STEP_S)

    def end(self) -> None:
        """End all children, the workers first, and the embedded server last."""
        for order, patience in PATIENCE.items():
            self._end([child for child in self.children if child.part.ends == order], patience)
        if self.server:
            self.server.stop(SERVER_PATIENCE)
        self._lines.drain()

    def _start(self, child: Child) -> None:
        child.start()
        if child.pid:
            self._lifeline.add(child.pid)

    def _revive(self, child: Child) -> None:
        buried = child.bury()
        if buried:
            self._lifeline.remove(buried)
        if child.due():
            self._start(child)

    def _revive_server(self) -> None:
        if self.server is None or self.server.alive() or time.monotonic() < self._server_due:
            return
        self._lines.say("valkey", "The embedded server died; it starts again.")
        try:
            self.server = start_server(self.server.folder, persistent=True)
        except EmbeddedServerFailed as failure:
            self._lines.say("valkey", str(failure))
            self._server_due = time.monotonic() + SERVER_PAUSE_S

    def _end(self, children: list[Child], patience: Sequence[timedelta]) -> None:
        for wait in patience:
            for child in children:
                child.terminate()
            deadline = time.monotonic() + wait.total_seconds()
            while any(child.alive() for child in children) and time.monotonic() < deadline:
                time.sleep(STEP_S / 2)
        for child in children:
            child.kill()
