"""Work for a crew while faults happen to it, and the history of all that in the end."""

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from redis import Redis

from jobs import keys
from jobs.connection import store
from tests.faults.crews import Crew
from tests.faults.hands import QUEUES, Place
from tests.faults.marks import runs_of
from tests.faults.run_history import FINISHED, History, JobRecord
from tests.faults.workload import BRIEF, CALLED_BACK, KINDS, Work

CREW = 3
MUST_BE_GONE = (
    keys.execution("*"),
    keys.executions("*"),
    keys.lock("*"),
    keys.refreshing("*"),
    keys.parked("*"),
    *(key(queue) for key in (keys.queue, keys.started, keys.scheduled) for queue in QUEUES),
)
"""What belongs to jobs that wait or run; an empty list, set or hash does not exist in Redis."""


def run_storm(
    place: Place,
    faults: Iterable[Callable[[Crew], None]],
    *,
    urls: Sequence[str] = (),
    seconds: Sequence[float] = BRIEF,
    kinds: Sequence[str] = (*KINDS, CALLED_BACK),
    drain: float = 90,
) -> History:
    """Let faults happen to a crew under load, one after the other; returns the history once all jobs have ended.

    They have `drain` seconds for that after the last fault. `seconds` are how long a job may take, `kinds` what jobs
    there are, `urls` the ways to the server if there are several.
    """
    crew = Crew(place, CREW, urls=urls or [place.url], work=Work(seconds, kinds))
    try:
        for fault in faults:
            crew.work.top_up()
            crew.tend()
            fault(crew)
        crew.thaw_all()
        crew.work.wait_for_all(within=drain)
        crew.dismiss()
    finally:
        crew.end()
    return collect(crew)


def collect(crew: Crew) -> History:
    """Return the history of a storm that is over."""
    client = store()
    crew.marks.read_on()
    return History(
        enqueued=frozenset(crew.work.enqueued),
        runs=tuple(runs_of(crew.marks.marks)),
        records={job: _record(client, job) for job in crew.work.enqueued if client.exists(keys.job(job))},
        counts={queue: _counts(client, queue) for queue in QUEUES},
        left_over=tuple(_left_over(client)),
        cached=dict(_cached(client)),
        struck=frozenset(crew.struck),
        robbed=frozenset(crew.robbed),
    )


def _record(client: Redis, job: str) -> JobRecord:
    fields = ("origin", "status", "m_failures", "m_crashes", "m_committed")
    origin, status, failures, crashes, committed = client.hmget(keys.job(job), fields)
    results = [entry for _, entry in client.xrange(keys.results(job)) if entry[b"type"] == b"1"]
    values = [json.loads(base64.b64decode(entry[b"return_value"])) for entry in results]
    ours = (committed or b"").endswith((b":finished", b":refused"))
    return JobRecord(
        job=job,
        queue=origin.decode(),
        status=status.decode(),
        committed=tuple(values),
        failures=int(failures or 0),
        crashes=int(crashes or 0),
        foreign=status.decode() == FINISHED and not ours,
    )


def _counts(client: Redis, queue: str) -> Counter[str]:
    return Counter({name.decode(): int(value) for name, value in client.hgetall(keys.counts(queue)).items()})


def _left_over(client: Redis) -> Iterator[str]:
    for pattern in MUST_BE_GONE:
        yield from (key.decode() for key in client.scan_iter(pattern, count=1000))
    of_workers = client.scan_iter(keys.worker_executions("*"), count=1000)
    yield from (f"for ever: {key.decode()}" for key in of_workers if client.ttl(key) < 0)


def _cached(client: Redis) -> Iterator[tuple[str, str]]:
    for key in client.scan_iter(keys.cache("marked:*"), count=1000):
        yield key.decode(), json.loads(client.get(key))["value"]
