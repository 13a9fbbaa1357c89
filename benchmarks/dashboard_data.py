"""A large deployment for the benchmark of the dashboard, its records field by field as RQ and Mandor write them.

Jobs and cache entries are copies of some that RQ and Mandor made; workers, locks and samples come from the real verbs.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from benchmarks.dashboard_copies import copy_entries, copy_jobs
from jobs import keys
from jobs.connection import store

NAMESPACES, IN_FLIGHT, ENTRIES_OF_ACTIVITY = 20, 40, 1_000
DAY_S, HOUR, SAMPLES = 86_400, timedelta(hours=1), 360
WORKER_LIFE_S = 7_200


@dataclass(frozen=True)
class Sizes:
    """How many there are of what."""

    waiting: int = 1_000_000
    dead: int = 100_000
    workers: int = 1_000
    locks: int = 10_000
    entries: int = 100_000
    finished: int = 10_000
    scheduled: int = 10_000
    queues: int = 20


@dataclass(frozen=True)
class Made:
    """Names of what the pages of single things show."""

    queue: str
    waiting_job: str
    dead_job: str
    resource: str
    key: str
    namespace: str


def build(sizes: Sizes) -> Made:
    """Fill an emptied database."""
    store().flushdb()
    queues = queue_names(sizes.queues)
    _let_run(min(IN_FLIGHT, sizes.workers))
    _write_jobs(queues, sizes)
    _register_workers(sizes.workers, queues)
    _hold(sizes.locks)
    _cache(sizes.entries)
    _sample(queues)
    _be_active()
    return Made(
        queue=queues[0],
        waiting_job=f"{_stem(0, 'a')}{sizes.waiting // sizes.queues // 2:012}",
        dead_job=f"{_stem(0, 'd')}{sizes.dead // sizes.queues // 2:012}",
        resource="resource:0",
        key="space-00:1",
        namespace="space-00",
    )


def queue_names(count: int) -> list[str]:
    return [f"queue-{number:02}" for number in range(count)]


def _write_jobs(queues: list[str], sizes: Sizes) -> None:
    """Write jobs that wait, one half as RQ's clients do and one as Mandor's, that ended, and that are not due yet."""
    from rq import Queue

    from tests.factories import bury, enqueue, finish, start
    from tests.samples.jobs import echo

    enqueue()
    done = start("mail")
    finish(done)
    scheduled = echo.enqueue_in(HOUR).job_id
    (ours,), dead = enqueue(text="hello"), bury()
    theirs = Queue("mail", connection=store()).enqueue(print, "hello", kind="greeting").id
    since = datetime.now(UTC) - HOUR
    for place, queue in enumerate(queues):
        store().sadd(keys.QUEUES, keys.queue(queue))
        for kind, template, to, count, field, keep_s in (
            ("a", (ours, theirs)[place % 2], keys.queue(queue), sizes.waiting, "enqueued_at", 0),
            ("d", dead, keys.failed(queue), sizes.dead, "ended_at", 365 * DAY_S),
            ("f", done.job_id, keys.finished(queue), sizes.finished, "ended_at", DAY_S),
            ("c", scheduled, keys.scheduled(queue), sizes.scheduled, "created_at", DAY_S),
        ):
            each, stem = -(-count // len(queues)), _stem(place, kind)
            copy_jobs(template, to, queue, each, stem=stem, field=field, since=since, keep_s=keep_s)


def _stem(place: int, kind: str) -> str:
    return f"{kind}{place:019x}"


def _let_run(count: int) -> None:
    from tests.factories import enqueue, start

    enqueue(count=count)
    for _ in range(count):
        start("mail")


def _register_workers(count: int, queues: list[str]) -> None:
    """Register workers as RQ's do at their birth, each of three queues, with the fields that Mandor's add."""
    from rq import Worker

    for number in range(count):
        own = [queues[(number + step) % len(queues)] for step in range(3)]
        worker = Worker(own, name=f"worker-{number:04}", connection=store(), worker_ttl=WORKER_LIFE_S)
        worker.register_birth()
        added = {"state": "idle", "m_version": "0.1.0", "m_memory": 50_000_000, "m_visibility": WORKER_LIFE_S * 1000}
        store().hset(worker.key, mapping=added)


def _hold(count: int) -> None:
    from jobs import locks

    for number in range(count):
        locks.acquire(f"resource:{number}", holder="bench", lease=2 * HOUR, max_duration=2 * HOUR)


def _cache(count: int) -> None:
    from jobs import caching

    namespaces = [f"space-{number:02}" for number in range(min(NAMESPACES, count))]
    for namespace in namespaces:
        template, value = f"{namespace}:0", {"rows": [{"id": number, "total": number * 3} for number in range(12)]}
        caching.get_or_refresh(template, lambda value=value: value, fresh_for=HOUR, stale_for=2 * HOUR)
        copy_entries(template, namespace, count // len(namespaces))
    caching.flush_counts()


def _sample(queues: list[str]) -> None:
    """Write an hour's samples, in each of which some more attempts ended."""
    from jobs.history import sampling
    from jobs.history.readings import read_queues, read_whole

    now_s = int(store().time()[0])
    now = datetime.fromtimestamp(now_s, UTC)
    readings = read_queues(store(), queues, now)
    readings[sampling.WHOLE] = read_whole(store(), list(readings.values()), now)
    for back in reversed(range(SAMPLES)):
        ended = dict.fromkeys(("finished", "failed", "hits", "stale", "misses"), (SAMPLES - back) * 7)
        grown = {
            queue: replace(reading, counters=reading.counters | ended, durations={})
            for queue, reading in readings.items()
        }
        for refusal in sampling.add_readings(store(), grown, (now_s // 10 - back) * 10_000):
            raise refusal


def _be_active() -> None:
    from dashboard.models import ActivityEntry

    if not ActivityEntry.objects.exists():
        entry = {"who": "ana", "action": "retry_job", "target": "a job", "outcome": "done"}
        ActivityEntry.objects.bulk_create(ActivityEntry(**entry) for _ in range(ENTRIES_OF_ACTIVITY))
