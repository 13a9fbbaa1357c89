"""What the faults share: processes that start at once, on the tests' own server, and a proxy that loses replies."""

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import pytest

from jobs.connection import forget_connections
from tests.faults import hands
from tests.faults.crews import kill_tree
from tests.faults.hands import QUEUES, Place
from tests.faults.lossy import LossyProxy
from tests.faults.servers import Server

Start = Callable[..., ForkServerProcess]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """The tests' own server, with claims that lapse soon."""
    return Place(os.environ["REDIS_URL"], tmp_path, {"VISIBILITY_TIMEOUT": timedelta(seconds=2)})


@pytest.fixture
def start(place: Place) -> Iterator[Start]:
    """Start a management command, at the place or another; all that were started end with the test."""
    started: list[ForkServerProcess] = []

    def run(*command: str, at: Place = place) -> ForkServerProcess:
        started.append(hands.start(at, *command))
        return started[-1]

    yield run
    for process in started:
        kill_tree(process)


@pytest.fixture
def own_server(tmp_path: Path, settings: Any) -> Iterator[Server]:
    """A server of the test's own, which keeps its data when it is killed; this process speaks with it too."""
    server = Server(tmp_path / "valkey")
    settings.RQ_QUEUES = {name: {"URL": server.url} for name in QUEUES}
    forget_connections()
    yield server
    server.kill()
    forget_connections()


@pytest.fixture
def lossy(tmp_path: Path) -> Iterator[LossyProxy]:
    """A proxy before the tests' own server."""
    proxy = LossyProxy(tmp_path, os.environ["REDIS_URL"].removeprefix("unix://").partition("?")[0])
    yield proxy
    proxy.close()
