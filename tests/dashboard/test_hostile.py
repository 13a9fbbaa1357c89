"""Whatever lies in Redis, every page renders and says what is wrong."""

import json
import os
import pickle
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
from rq import Queue
from rq.utils import now, utcformat

from jobs import keys
from jobs.connection import store
from jobs.resolutions import RESOLUTIONS
from tests.dashboard.conftest import SignIn
from tests.factories import bury, enqueue

LISTS = ["/", "/queues/", "/queues/mail/", "/dead-letters/", "/workers/", "/schedules/", "/cache/", "/locks/"]
STATES = ["waiting", "in_flight", "scheduled", "retrying", "finished", "dead", "stopped", "deferred", "canceled"]
CHARTS = ["/charts/", "/queues/mail/charts/?range=24h", "/cache/charts/?range=30d"]
PAGES = [*LISTS, *CHARTS, *(f"/jobs/?state={state}" for state in STATES)]
LOUD = b"<script>alert(1)</script>\xff\xfe\x00\xe2\x80\xae" + b"x" * 2000
OPENED = Path(tempfile.gettempdir()) / f"mandor-opened-{os.getpid()}"


class Bomb:
    """A pickle that leaves a mark when it is opened."""

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (OPENED,)


def put_everywhere(job_id: str) -> None:
    store().rpush(keys.queue("mail"), job_id)
    for kind in (keys.started, keys.finished, keys.failed, keys.scheduled, keys.deferred, keys.canceled, keys.parked):
        store().zadd(kind("mail"), {job_id: time.time() + 600})


def loud_fields() -> None:
    (job_id,) = enqueue()
    for field in [
        *store().hkeys(keys.job(job_id)),
        b"m_state",
        b"m_error",
        b"m_died",
        b"m_slow",
        b"m_resource",
        b"ended_at",
    ]:
        store().hset(keys.job(job_id), field, LOUD)
    put_everywhere(job_id)


def loud_ids() -> None:
    for job_id in (LOUD, b"", b"a b/c:d:e", b"../..", "Zürich".encode()):
        put_everywhere(job_id)


def loud_names() -> None:
    store().sadd(keys.QUEUES, keys.queue("").encode() + LOUD, b"no prefix", keys.queue(""))
    store().sadd(keys.WORKERS, keys.worker("").encode() + LOUD)
    store().hset(keys.worker("loud"), mapping=dict.fromkeys(("queues", "pid", "last_heartbeat", "m_memory"), LOUD))
    store().sadd(keys.WORKERS, keys.worker("loud"))
    store().sadd(keys.worker_executions("loud"), LOUD)
    store().set(keys.LEADER, LOUD)


def loud_cache() -> None:
    store().sadd(keys.CACHE_NAMESPACES, LOUD, "")
    store().hset(keys.cache_counts(""), mapping={"hits": LOUD, "misses": "-3", "refreshes": "1e999"})
    store().zadd(keys.CACHE_INDEX, {LOUD: 1, "": 2, "report:1": 3})
    store().set(keys.cache("report:1"), b'{"value": "\\ud800", "at": 1e300, "fresh_until": "x", "by": ["y"]}')
    store().hset(keys.refreshing("report:1"), mapping={"since": LOUD})


def huge_arguments() -> None:
    enqueue()
    Queue("mail", connection=store()).enqueue("a.b", bytes(range(256)) * 4000)


def pickled_bomb() -> None:
    job = Queue("mail", connection=store()).enqueue("a.b", Bomb())
    store().hset(keys.job(job.id), "meta", zlib.compress(pickle.dumps(Bomb())))
    put_everywhere(job.id)


def missing_records() -> None:
    put_everywhere(bury())
    store().delete(*store().keys(keys.job("*")))


def wrong_types() -> None:
    enqueue()
    for key in store().keys("*"):
        store().delete(key)
        store().set(key, LOUD)
    for key in (
        keys.QUEUES,
        keys.WORKERS,
        keys.CACHE_INDEX,
        keys.LOCKS,
        keys.UPKEEP,
        *(keys.history(step.name, "mail") for step in RESOLUTIONS),
        *(keys.durations(step.name) for step in RESOLUTIONS),
        keys.failed("mail"),
    ):
        store().set(key, LOUD)


def broken_samples() -> None:
    loud = {LOUD: LOUD, "waiting": "many", "finished": "1e400", "over": "-5", "900": "9", "3": "nan"}
    for step in RESOLUTIONS:
        for queue in ("", "mail"):
            store().xadd(keys.history(step.name, queue), loud)
            store().xadd(keys.durations(step.name, queue), loud)


def loud_cron() -> None:
    entry = {"name": LOUD.decode(errors="replace"), "func_name": 7, "queue_name": "<script>", "args": "[" * 5000}
    record = json.dumps([entry, {"name": ["x"], "interval": 1e400, "next_enqueue_time": {}}, {}])
    for number, written in enumerate((record, LOUD, b"[1]", b"x" * 1_000_000)):
        store().zadd(keys.CRON_SCHEDULERS, {f"cron-{number}": time.time()})
        store().hset(keys.cron_scheduler(f"cron-{number}"), "cron_jobs", written)
    store().zadd(keys.CRON_SCHEDULERS, {LOUD: 1})
    store().zadd(keys.CRON_JOBS, {LOUD: time.time(), b"": 1, b"a/b": -1})
    store().zadd(keys.cron_history("a/b"), {LOUD: 1})
    store().set(keys.cron_history(""), LOUD)


def absurd_times() -> None:
    """Times and durations at the ends of what a date can be, where anything added falls off."""
    ends = ("0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z")
    spans = ("86399999999999000", "-86399999999999000", "1e16", "1e300")
    for place, span in enumerate(spans):
        lock, worker, end = f"r{place}", f"w{place}", ends[place % 2]
        store().zadd(keys.LOCKS, {lock: 1})
        times = {"acquired": 253_402_300_799_000 if place % 2 else int(time.time() * 1000), "lease": span, "max": span}
        store().hset(keys.lock(lock), mapping={"token": 1, "waited": span, **times})
        store().sadd(keys.WORKERS, keys.worker(worker))
        beat = {"birth": end, "last_heartbeat": end if place > 1 else utcformat(now()), "m_visibility": span}
        store().hset(keys.worker(worker), mapping={"queues": "mail", "state": "idle", **beat})
        (job_id,) = enqueue()
        fields = ("created_at", "enqueued_at", "started_at", "ended_at", "last_heartbeat")
        store().hset(keys.job(job_id), mapping=dict.fromkeys(fields, end) | {"m_parked": span, "m_slow": span})
        put_everywhere(job_id)
        score = (253_402_300_799, -62_135_596_800)[place % 2]
        store().zadd(keys.scheduled("mail"), {job_id: score})
        store().zadd(keys.started("mail"), {f"{job_id}:m1": score})
        store().hset(keys.execution(f"{job_id}:m1"), mapping={"created_at": score, "last_heartbeat": score})
    store().hset(keys.paused("mail"), mapping={"by": "x", "at": 253_402_300_799_000})


HORRORS = [
    absurd_times,
    loud_cron,
    loud_fields,
    loud_ids,
    loud_names,
    loud_cache,
    huge_arguments,
    pickled_bomb,
    missing_records,
    wrong_types,
    broken_samples,
]


@pytest.fixture(params=["UTC", "Asia/Tokyo", "America/New_York"])
def zone(request: pytest.FixtureRequest, settings: Any) -> None:
    settings.TIME_ZONE = request.param


@pytest.mark.usefixtures("zone")
def test_times_at_the_ends_of_time_are_unknown(sign_in: SignIn) -> None:
    client = sign_in("admin")
    absurd_times()
    ids = store().lrange(keys.queue("mail"), 0, -1)

    for path in (*PAGES, "/metrics", *(f"/jobs/{job_id.decode()}/" for job_id in ids), "/locks/show/?resource=r0"):
        assert client.get(path).status_code == 200, path


@pytest.mark.parametrize("horror", HORRORS, ids=[horror.__name__ for horror in HORRORS])
def test_every_list_renders(sign_in: SignIn, horror) -> None:
    client = sign_in("operator")
    horror()

    for path in PAGES:
        answer = client.get(path)

        assert answer.status_code == 200, path
        assert b"<script>alert" not in answer.content, path
        assert len(answer.content) < 200_000, path
    assert not OPENED.exists()


@pytest.mark.parametrize("horror", [absurd_times, loud_fields, huge_arguments, pickled_bomb, missing_records])
def test_every_jobs_page_renders(sign_in: SignIn, horror) -> None:
    client = sign_in("operator")
    horror()
    ids = {key.decode().split(":")[2] for key in store().keys("*:job:*") + store().keys("mandor:attempts:*")}
    assert ids

    for job_id in ids:
        store().rpush(keys.timeline(job_id), LOUD, b'{"at": 1, "what": ["taken"]}', b'{"what": "failed", "error": {}}')
        store().lpush(keys.attempts(job_id), LOUD, b'{"number": {}, "started": [], "traceback": 7}')
        store().xadd(keys.results(job_id), {"type": LOUD, "exc_string": LOUD, "return_value": LOUD})
        answer = client.get(f"/jobs/{job_id}/")

        assert answer.status_code == 200
        assert b"<script>alert" not in answer.content
    assert not OPENED.exists()
