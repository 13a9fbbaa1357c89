import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis

from dashboard.embedded import EmbeddedServer, EmbeddedServerFailed, start_server, stop_left_behind

Start = Callable[[Path], EmbeddedServer]


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[EmbeddedServer] = []

    def start_one(folder: Path) -> EmbeddedServer:
        started.append(start_server(folder, persistent=True))
        return started[-1]

    yield start_one
    for server in started:
        server.stop()


@pytest.mark.parametrize("name", ["plain", 'with spaces, ünd "quotes" %20?#', "long-" * 30])
def test_any_folder_will_do_and_keeps_its_data(name: str, start: Start, tmp_path: Path) -> None:
    folder = tmp_path / name

    server = start(folder)
    Redis.from_url(server.url).set("kept", "yes")
    server.stop()
    again = start(folder)

    assert Redis.from_url(again.url).get("kept") == b"yes"


def test_a_server_left_behind_is_adopted_and_can_be_stopped(start: Start, tmp_path: Path) -> None:
    left_behind = start(tmp_path)

    adopted = start(tmp_path)
    adopted.stop()

    assert adopted.pid == left_behind.pid
    assert not left_behind.alive()


def test_a_server_left_behind_can_be_stopped_unseen(start: Start, tmp_path: Path) -> None:
    left_behind = start(tmp_path)

    stop_left_behind(tmp_path)
    stop_left_behind(tmp_path)

    assert not left_behind.alive()


def test_what_a_killed_server_left_is_no_hindrance(start: Start, tmp_path: Path) -> None:
    killed = start(tmp_path)
    os.kill(killed.pid, signal.SIGKILL)
    while killed.alive():
        pass

    server = start(tmp_path)

    assert Redis.from_url(server.url).ping()


def test_ctrl_c_in_the_terminal_does_not_reach_it(start: Start, tmp_path: Path) -> None:
    server = start(tmp_path)

    assert os.getsid(server.pid) == server.pid


def test_a_server_that_cannot_start_says_why(start: Start, tmp_path: Path) -> None:
    (tmp_path / "appendonlydir").write_text("a file where the server wants a folder")

    with pytest.raises(EmbeddedServerFailed, match="append-only dir.*Not a directory"):
        start(tmp_path)
