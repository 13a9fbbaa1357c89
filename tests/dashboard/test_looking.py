"""Looking changes nothing: every page is drawn as a Redis user who may only read, and leaves every key as it was.

So it does as one who may also write the snapshot that polls share, which is nobody's state.
"""

import os
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TypeAlias

import pytest
from django.test import Client
from django.urls import URLPattern, resolve, reverse
from redis import Redis
from redis.exceptions import NoPermissionError

from dashboard import urls
from jobs import caching, connection, keys, locks
from jobs.caching.counters import flush_counts
from jobs.connection import store
from jobs.discards import discard_job
from jobs.resolutions import FINE
from jobs.snapshots import forget_snapshots
from tests.dashboard.conftest import SignIn, poll
from tests.factories import LOCKED, bury, claimant, enqueue, finish, finish_cached, hold, park, see, start
from tests.past import remember
from tests.waiting import eventually

Become: TypeAlias = Callable[[list[str]], Redis]

PAGES = [
    "/",
    "/queues/",
    "/charts/",
    "/queues/mail/",
    "/queues/mail/charts/",
    "/schedules/",
    "/jobs/?state=waiting",
    "/jobs/?state=in_flight",
    "/jobs/?state=scheduled",
    "/jobs/?state=finished",
    "/jobs/?state=dead",
    "/jobs/?state=dead&as_of=1&start=1",
    "/jobs/?state=discarded",
    "/jobs/?state=waiting&q=func:echo+hello",
    "/jobs/enqueue/?job=tests.samples.jobs.locked",
    "/jobs/enqueue/",
    "/locks/",
    "/locks/show/?resource=report:42",
    "/cache/",
    "/cache/entry/?key=report:7",
    "/cache/charts/",
    "/cache/namespace/?name=report",
    "/dead-letters/",
    "/workers/",
    "/activity/",
    "/activity/export/",
    "/metrics",
    "/healthz",
]
SNAPSHOTS = keys.snapshot("*")
READER = ["reset", "on", ">pw", "-@all", "+@read", "+@connection", "+info", "+time", "%R~rq:*", "%R~mandor:*"]
SHARER = [*READER, "+set", "+del", f"%W~{SNAPSHOTS}"]
SIGNING_IN_AND_OUT = {"login", "logout"}


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
    discard_job(see(bury()), by="ana")
    ids = [in_flight.job_id, finished.job_id, park(), bury(), *enqueue()]
    store().zadd(keys.failed("mail"), {"expired": 1})
    store().zadd(keys.started("mail"), {"lapsed:x": 1})
    store().sadd(keys.WORKERS, keys.worker("ended"))
    caching.read("report:7")
    flush_counts()
    for key in store().keys("*"):
        store().persist(key)  # so that nothing lapses by itself meanwhile
    return ids


def dump(client: Redis) -> dict[bytes, bytes | None]:
    shared = set(client.keys(SNAPSHOTS))
    return {key: client.dump(key) for key in client.keys("*") if key not in shared}


def look_at_everything(client: Client, ids: list[str]) -> None:
    for path in [*PAGES, *(f"/jobs/{job_id}/" for job_id in ids), f"/jobs/{ids[0]}/edit/"]:
        for headers in ({}, {"HX-Request": "true", "HX-Request-Type": "partial"}):
            assert client.get(path, headers=headers).status_code == 200, path
    for page in filter(is_about_one_job, urls.pages):
        for job_id in ids:
            assert client.get(reverse(f"mandor:{page.name}", kwargs={"job_id": job_id})).status_code < 500


def count_refused(admin: Redis) -> int:
    """Return how many writes of a snapshot Redis has refused."""
    return int(admin.info("commandstats").get("cmdstat_set", {}).get("rejected_calls", 0))


def is_about_one_job(page: URLPattern) -> bool:
    return "job_id" in page.pattern.converters


@pytest.fixture
def become() -> Iterator[Callable[[list[str]], Redis]]:
    """Return a function that leaves the dashboard's client with these rights only, and returns one with all."""
    connection.forget_connections()
    admin = Redis.from_url(os.environ["REDIS_URL"])

    def become(rights: list[str]) -> Redis:
        admin.execute_command("ACL", "SETUSER", "looker", *as_the_server_spells_it(rights, admin))
        pool = store().connection_pool
        pool.disconnect()
        pool.reset()
        pool.connection_kwargs |= {"username": "looker", "password": "pw"}
        return admin

    yield become
    connection.forget_connections()
    admin.execute_command("ACL", "DELUSER", "looker")
    admin.close()


def as_the_server_spells_it(rights: list[str], admin: Redis) -> list[str]:
    """Return the rights for a server that may not know rights to read or to write a key: before Redis 7 none does."""
    if int(admin.info("server")["redis_version"].partition(".")[0]) >= 7:
        return rights
    if rights is SHARER:
        pytest.skip("This server cannot let somebody write some keys and only read others.")
    return [right.replace("%R~", "~") for right in rights]


@pytest.mark.parametrize("rights", [READER, SHARER], ids=["reader", "sharer"])
def test_whoever_looks_may_write_no_state(become: Become, rights: list[str]) -> None:
    become(rights)

    for write in (("set", "mandor:x", 1), ("set", keys.job("x"), 1), ("delete", keys.EVENTS)):
        with pytest.raises(NoPermissionError):
            getattr(store(), write[0])(*write[1:])


@pytest.mark.parametrize("rights", [READER, SHARER], ids=["reader", "sharer"])
def test_no_page_and_no_poll_changes_anything(sign_in: SignIn, become: Become, rights: list[str]) -> None:
    ids = make_something_of_everything()
    admin = become(rights)
    before, refused = dump(admin), count_refused(admin)

    look_at_everything(sign_in("admin"), ids)

    assert dump(admin) == before
    assert (count_refused(admin) == refused) is (rights is SHARER)


def test_every_page_there_is_was_looked_at(sign_in: SignIn) -> None:
    client = sign_in("admin")
    seen = {resolve(path.partition("?")[0]).url_name for path in PAGES}

    for page in urls.pages:
        if page.name not in seen | SIGNING_IN_AND_OUT and not is_about_one_job(page):
            path = reverse(f"mandor:{page.name}", kwargs=dict.fromkeys(page.pattern.converters, "x"))
            assert client.get(path).status_code == 405, f"{page.name} is looked at by GET: list it in PAGES"


def test_no_page_changes_while_nothing_but_the_clock_does(sign_in: SignIn) -> None:
    ids = make_something_of_everything()
    remember("", FINE, timedelta(0), waiting=1)  # charts end with the newest sample, and with the clock without one
    client, paths = sign_in("admin"), [*PAGES, *(f"/jobs/{job_id}/" for job_id in ids)]
    tags = {path: poll(client, path).headers.get("HX-PTag", "") for path in paths}
    began = time.monotonic()
    eventually(lambda: time.monotonic() > began + 1.1)

    forget_snapshots()
    store().delete(*store().keys(SNAPSHOTS), "")

    changed = [path for path in paths if tags[path] and poll(client, path, tags[path]).status_code != 304]
    assert changed == []
