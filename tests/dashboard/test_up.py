import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from django.core.management import CommandError, call_command

from dashboard.management.commands.up import _welcome as welcome
from dashboard.supervision.addresses import Address
from jobs.connection import store
from tests.conftest import SERVER
from tests.waiting import eventually

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds children through /proc")

MANAGE = Path(__file__).parents[2] / "manage.py"
ADDRESS = Address("127.0.0.1", 8000)
Refusal = Callable[..., str]
NOT_HANDED_DOWN = {"REDIS_URL", "DATABASE_URL", "MANDOR_DEMO_PASSWORD", "MANDOR_DEMO"}


class Up:
    """A running `manage.py up` and what it has said so far."""

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        self.folder = folder
        self.port = free_port()
        kept = {name: value for name, value in os.environ.items() if name not in NOT_HANDED_DOWN}
        self.process = subprocess.Popen(
            [sys.executable, str(MANAGE), "up", f"--bind=127.0.0.1:{self.port}", *options],
            env={**kept, "DJANGO_SETTINGS_MODULE": "dashboard.settings", "MANDOR_VAR": str(folder), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.lines: list[str] = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def wait_until_ready(self) -> None:
        eventually(lambda: "Mandor runs at" in self.said or self.process.poll() is not None, within=60)
        assert self.process.poll() is None, self.said

    @property
    def said(self) -> str:
        return "\n".join(self.lines)

    def children(self, *words: str) -> set[int]:
        """Return the processes that run on this folder and have these words in their command line."""
        return {
            pid
            for pid in living_processes()
            if pid != self.process.pid
            and f"MANDOR_VAR={self.folder}".encode() in read(pid, "environ").split(b"\0")
            and all(word.encode() in read(pid, "cmdline") for word in words)
        }

    def signal(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        status = self.process.wait(60)
        self.reader.join(10)
        return status

    def _read(self) -> None:
        with self.process.stdout as output:
            for line in output:
                self.lines.append(line.rstrip("\n"))


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Callable[..., Up]]:
    started: list[Up] = []

    def start(*options: str, folder: Path = tmp_path / "var", **environment: str) -> Up:
        started.append(Up(folder, *options, **environment))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.signal(signal.SIGTERM)
    for one in started:
        eventually(lambda one=one: not one.children(), within=30)


@pytest.fixture
def refusal(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Refusal]:
    """Run `up` in this process, where it must refuse to start; returns what it says."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def refuse(folder: Path, *options: str, redis: str = "") -> str:
        settings.VAR_DIR = folder
        monkeypatch.setenv("REDIS_URL", redis)
        with pytest.raises(CommandError) as error:
            call_command("up", f"--bind=127.0.0.1:{free_port()}", *options)
        return str(error.value)

    yield refuse
    for number, handler in before.items():
        signal.signal(number, handler)


def test_one_command_starts_everything_and_ctrl_c_ends_it(
    up: Callable[..., Up], refusal: Refusal, tmp_path: Path
) -> None:
    running = up("--workers=1", folder=tmp_path / f"{'long ' * 20}folder")
    running.wait_until_ready()

    assert refusal(running.folder) == (
        f"Mandor is already running in {running.folder} (process {running.process.pid}): end that one first."
    )
    assert urlopen(f"http://127.0.0.1:{running.port}/accounts/login/").status == 200
    assert [bool(running.children(part)) for part in ("upkeep", "gunicorn", "rqworker", "valkey")] == [True] * 4

    assert running.signal(signal.SIGINT) == 0

    assert running.children() == set()
    assert "Traceback" not in running.said


@pytest.mark.django_db
def test_a_password_is_shown_once_and_a_given_one_never(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MANDOR_DEMO_PASSWORD", "")
    welcome(ADDRESS, demo=False)
    first = capsys.readouterr().out
    monkeypatch.setenv("MANDOR_DEMO_PASSWORD", "open sesame")
    welcome(ADDRESS, demo=True)
    second = capsys.readouterr().out
    welcome(ADDRESS, demo=True)
    third = capsys.readouterr().out

    assert re.search(r"runs at http://127\.0\.0\.1:8000/ .*\nSign in as admin\. Password: \w{14}$", first, re.MULTILINE)
    assert "Sign in as operator or viewer. Password: the one in MANDOR_DEMO_PASSWORD" in second
    assert "Sign in with the password of the first start" in third


def test_an_unreachable_redis_is_one_line_and_exit_code_1(up: Callable[..., Up]) -> None:
    refused = up(REDIS_URL="redis://127.0.0.1:1/0")

    assert refused.process.wait(60) == 1
    refused.reader.join()
    assert [
        line.startswith("CommandError: Redis at redis://127.0.0.1:1/0 cannot be used: ") for line in refused.lines
    ] == [True]


def test_the_demo_keeps_off_a_server_with_other_data(refusal: Refusal, tmp_path: Path) -> None:
    store().set("somebody's", 1)

    assert refusal(tmp_path, "--demo", redis=SERVER.url).startswith("--demo needs a Redis that is empty")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def living_processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
