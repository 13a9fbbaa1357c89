"""Looking changes nothing: every page is drawn as a Redis user who may only read, and leaves every key as it was."""

import os
from collections.abc import Callable, Iterator

import pytest
from redis import Redis
from redis.exceptions import NoPermissionError

from jobs import caching, connection, keys, locks
from jobs.caching.counters import flush_counts
from jobs.connection import store
from tests.dashboard.conftest import SignIn
from tests.factories import LOCKED, bury, claimant, enqueue, finish, finish_cached, hold, park, start

PAGES = [
    "/",
    "/queues/",
    "/queues/mail/",
    "/jobs/?state=waiting",
    "/jobs/?state=in_flight",
    "/jobs/?state=scheduled",
    "/jobs/?state=finished",
    "/jobs/?state=dead",
    "/locks/",
    "/locks/show/?resource=report:42",
    "/cache/",
    "/cache/entry/?key=report:7",
    "/dead-letters/",
    "/workers/",
    "/activity/",
    "/metrics",
    "/healthz",
]
READER = ["reset", "on", ">pw", "-@all", "+@read", "+@connection", "+info", "+time", "%R~rq:*", "%R~mandor:*"]


def make_something_of_everything() -> list[str]:
    """Return the ids of a job in each state, on a server that has locks, entries and an expired dead letter too."""
    enqueue(LOCKED, report_id=1)
    in_flight = start("reports")
    enqueue()
    finished = start("mail")
    finish(finished)
    enqueue("tests.samples.jobs.cached", report_id=7)
    finish_cached(start("reports", by=claimant("reports")), "1")
    locks.release(hold("report:42"))
    hold("report:42")
    store().zadd(keys.waiters("report:42"), {"hold:web-1:7:1": 1})
    ids = [in_flight.job_id, finished.job_id, park(), bury(), *enqueue()]
    store().zadd(keys.failed("mail"), {"expired": 1})
    store().zadd(keys.started("mail"), {"lapsed:x": 1})
    store().sadd(keys.WORKERS, keys.worker("ended"))
    caching.read("report:7")
    flush_counts()
    return ids


def dump(client: Redis) -> dict[bytes, bytes | None]:
    return {key: client.dump(key) for key in client.keys("*")}


@pytest.fixture
def everything(become_reader: Callable[[], Redis]) -> tuple[list[str], Redis]:
    """Make something of everything, then let the dashboard only read; the client returned may do all."""
    ids = make_something_of_everything()
    return ids, become_reader()


@pytest.fixture
def become_reader() -> Iterator[Callable[[], Redis]]:
    """Return a function that takes every right but to read from the dashboard's client, and returns one with all."""
    connection.forget_connections()
    admin = Redis.from_url(os.environ["REDIS_URL"])

    def become() -> Redis:
        admin.execute_command("ACL", "SETUSER", "reader", *READER)
        pool = store().connection_pool
        pool.disconnect()
        pool.reset()
        pool.connection_kwargs |= {"username": "reader", "password": "pw"}
        return admin

    yield become
    connection.forget_connections()
    admin.execute_command("ACL", "DELUSER", "reader")
    admin.close()


def test_the_reader_may_not_write(everything: tuple[list[str], Redis]) -> None:
    with pytest.raises(NoPermissionError):
        store().set("mandor:x", 1)


def test_no_page_and_no_poll_changes_anything(sign_in: SignIn, everything: tuple[list[str], Redis]) -> None:
    ids, admin = everything
    client, before = sign_in("admin"), dump(admin)

    for path in [*PAGES, *(f"/jobs/{job_id}/" for job_id in ids)]:
        for headers in ({}, {"HX-Request": "true", "HX-Request-Type": "partial"}):
            assert client.get(path, headers=headers).status_code == 200, path

    assert dump(admin) == before
