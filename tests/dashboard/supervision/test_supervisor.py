import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dashboard.embedded import start_server
from dashboard.supervision.lifeline import Lifeline
from dashboard.supervision.lines import Lines
from dashboard.supervision.parts import ENDS_FIRST, Part
from dashboard.supervision.supervisor import Supervisor

SLEEPS = "import time; print('ready'); time.sleep(60)"
IGNORES = "import signal; signal.signal(15, signal.SIG_IGN)\n" + SLEEPS
SAYS_BYE = "import signal, sys; signal.signal(15, lambda *_: sys.exit(print('bye')))\n" + SLEEPS
DIES = "raise SystemExit(3)"


class Run:
    def __init__(self, supervisor: Supervisor, output: io.StringIO) -> None:
        self.supervisor = supervisor
        self.output = output

    def watch_for(self, text: str, times: int = 1) -> None:
        self.supervisor.watch(until=lambda: self.output.getvalue().count(text) >= times)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    ends: list[Callable[[], None]] = []

    def start(*parts: Part) -> Run:
        output = io.StringIO()
        lock = (tmp_path / "lock").open("w")
        lifeline = Lifeline(lock)
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        supervisor = Supervisor(parts, environment, lines=Lines(output), lifeline=lifeline)
        ends.extend([supervisor.end, lifeline.close, lock.close])
        supervisor.start()
        return Run(supervisor, output)

    yield start
    for end in ends:
        end()


def part(name: str, code: str, *, count: int = 1, ends: int = ENDS_FIRST + 1) -> Part:
    return Part(name, (sys.executable, "-c", code), count, ends)


def test_a_killed_child_starts_again_and_the_others_stay(run: Callable[..., Run]) -> None:
    running = run(part("sleeper", SLEEPS, count=2))
    killed, spared = running.supervisor.children
    before = (killed.pid, spared.pid)
    running.watch_for("ready", times=2)

    os.kill(killed.pid or 0, signal.SIGKILL)
    running.watch_for("ready", times=3)

    assert killed.pid != before[0]
    assert spared.pid == before[1]
    assert "sleeper.1 | killed by SIGKILL; it starts again in 1 s." in running.output.getvalue()


def test_a_child_that_dies_at_once_is_given_longer_and_longer_pauses(run: Callable[..., Run]) -> None:
    running = run(part("broken", DIES))

    running.watch_for("ended with exit code 3; it starts again", times=2)

    assert [line.split("again ")[1] for line in running.output.getvalue().splitlines()] == ["in 1 s.", "in 2 s."]


def test_workers_end_before_the_others(run: Callable[..., Run]) -> None:
    running = run(part("web", SAYS_BYE), part("worker", SAYS_BYE, ends=ENDS_FIRST))
    running.watch_for("ready", times=2)

    running.supervisor.end()

    assert running.output.getvalue().splitlines()[-2:] == ["worker    | bye", "web       | bye"]


def test_who_does_not_end_is_killed(run: Callable[..., Run]) -> None:
    running = run(part("deaf", IGNORES))
    running.watch_for("ready")

    running.supervisor.end()

    assert not any(child.alive() for child in running.supervisor.children)


def test_ctrl_c_in_the_terminal_does_not_reach_the_children(run: Callable[..., Run]) -> None:
    running = run(part("sleeper", SLEEPS))

    pids = [child.pid or 0 for child in running.supervisor.children]

    assert [os.getsid(pid) for pid in pids] == pids


def test_an_embedded_server_that_died_starts_again(run: Callable[..., Run], tmp_path: Path) -> None:
    running = run()
    first = running.supervisor.server = start_server(tmp_path / "valkey", persistent=True)

    os.kill(first.pid, signal.SIGKILL)
    running.watch_for("The embedded server died")
    running.supervisor.watch(until=lambda: running.supervisor.server is not first)

    assert running.supervisor.server.alive()
