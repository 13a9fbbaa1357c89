"""The conftest of RQ's own tests: Mandor's classes in the place of RQ's, and the private server in that of localhost.

It is copied beside them and run in a process of its own, of which several share the tests among them.
"""

import json
import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest
import redis
import rq.queue
import rq.worker
from django.conf import settings
from redis.connection import Connection
from rq.serializers import DefaultSerializer

SOCKET = os.environ["LIKE_RQ_SOCKET"]
SHARE, SHARES, FIRST_DATABASE = int(os.environ["LIKE_RQ_SHARE"]), int(os.environ["LIKE_RQ_SHARES"]), 4
OUTCOMES = Path(os.environ["LIKE_RQ_OUTCOMES"])
PATIENCE_S = 60


class AnyQueue(dict):
    """RQ's tests name queues as they like."""

    def __missing__(self, _name: str) -> dict:
        return self["default"]


settings.configure(
    INSTALLED_APPS=["jobs"],
    RQ_QUEUES=AnyQueue(default={"URL": f"redis://localhost/{FIRST_DATABASE + SHARE}"}),
    RQ={"COMMIT_MODE": "auto"},
    MANDOR={"ALLOW": ["tests.*"]},
    USE_TZ=True,
)

import django  # noqa: E402

django.setup()

from jobs import queue, worker  # noqa: E402


class Queue(queue.Queue):
    """Mandor's queue with RQ's default, pickle."""

    def __init__(self, *args, serializer=None, **options: Any) -> None:
        super().__init__(*args, serializer=serializer or DefaultSerializer, **options)


class Worker(worker.Worker):
    queue_class = Queue


OUTSIDE = {(rq, "Queue"): Queue, (rq, "Worker"): Worker, (rq, "SimpleWorker"): Worker}
ALSO_WHILE_IMPORTED = {(rq.queue, "Queue"): Queue, (rq.worker, "Worker"): Worker, (rq.worker, "SimpleWorker"): Worker}
RQS_OWN = {(module, name): getattr(module, name) for module, name in ALSO_WHILE_IMPORTED}


def put(classes) -> None:
    for (module, name), value in classes.items():
        setattr(module, name, value)


put(OUTSIDE)
put(ALSO_WHILE_IMPORTED)


def pytest_collection_finish() -> None:
    """Give RQ's modules back their own classes, which they use among themselves beside Mandor too."""
    put(RQS_OWN)


def _connect(connection) -> socket.socket:
    """Reach the private server, whatever host and port are asked for."""
    own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    own.settimeout(connection.socket_connect_timeout)
    own.connect(SOCKET)
    own.settimeout(connection.socket_timeout)
    return own


Connection._connect = _connect


def find_own_database(ssl: bool = False) -> redis.Redis:
    return redis.Redis(db=FIRST_DATABASE + SHARE)


def pytest_collectstart() -> None:
    import tests

    tests.find_empty_redis_database = find_own_database


def pytest_collection_modifyitems(items) -> None:
    items[:] = items[SHARE::SHARES]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """Let a test that hangs fail. A TimeoutError inside a read from the server would pass for the server's own."""

    def give_up(*_: object) -> None:
        pytest.fail("This test hangs.")

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE_S)
    try:
        return (yield)
    finally:
        signal.alarm(0)


outcomes: dict[str, str] = {}


def pytest_runtest_logreport(report) -> None:
    name = report.nodeid.removeprefix("tests/").partition(" ")[0]
    if outcomes.get(name) != "failed":
        outcomes[name] = report.outcome


def pytest_sessionfinish() -> None:
    OUTCOMES.write_text(json.dumps(outcomes))
