"""Work for a crew while faults happen to it, and the history of all that in the end."""

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from redis import Redis

from jobs import keys
from jobs.connection import store
from jobs.enqueueing import enqueue_job
from tests.faults.crews import Crew
from tests.faults.hands import QUEUES, Place
from tests.faults.marks import runs_of
from tests.faults.run_history import FINISHED, STOPPED, History, JobRecord
from tests.waiting import eventually

MARKED = "tests.samples.marked"
CREW = 3
BACKLOG = 80
BRIEF = (0, 0.005, 0.02, 0.05)
RISK, KEYS_EACH = 0.05, 6
ENDED = {FINISHED.encode(), STOPPED.encode()}
MUST_BE_GONE = (
    keys.execution("*"),
    keys.executions("*"),
    keys.worker_executions("*"),
    keys.lock("*"),
    keys.refreshing("*"),
    keys.parked("*"),
    *(key(queue) for key in (keys.queue, keys.started, keys.scheduled) for queue in QUEUES),
)
"""What belongs to jobs that wait or run; an empty list, set or hash does not exist in Redis."""


class Work:
    """The jobs of a storm: more are enqueued before the queues run empty. They take one of `seconds` each."""

    def __init__(self, chance: Random, seconds: Sequence[float] = BRIEF) -> None:
        self.chance, self.seconds = chance, seconds
        self.enqueued: set[str] = set()

    def top_up(self) -> None:
        """Keep the crew busy."""
        waiting = sum(store().llen(keys.queue(queue)) for queue in QUEUES)
        self.enqueued |= {self._enqueue_one() for _ in range(BACKLOG - waiting)}

    def wait_for_all(self, within: float) -> None:
        """Return once every job has ended."""
        going_on = sorted(self.enqueued)

        def all_ended() -> bool:
            pipe = store().pipeline(transaction=False)
            for job in going_on:
                pipe.hget(keys.job(job), "status")
            statuses = zip(going_on, pipe.execute(), strict=True)
            going_on[:] = [job for job, status in statuses if status not in ENDED]
            return not going_on

        eventually(all_ended, within=within)

    def _enqueue_one(self) -> str:
        how = {"seconds": self.chance.choice(self.seconds), "risk": RISK}
        kind = self.chance.choice(["plain", "locked", "cached"])
        if kind == "locked":
            how["resource"] = self.chance.randrange(KEYS_EACH)
        elif kind == "cached":
            how["entry"] = self.chance.randrange(KEYS_EACH)
        return enqueue_job(f"{MARKED}.{kind}", how).job_id


def run_storm(
    place: Place,
    faults: Iterable[Callable[[Crew], None]],
    *,
    urls: Sequence[str] = (),
    seconds: Sequence[float] = BRIEF,
    drain: float = 90,
) -> History:
    """Let faults happen to a crew under load, one after the other; returns the history once all jobs have ended.

    They have `drain` seconds for that after the last fault. `seconds` are how long a job may take, `urls` the ways to
    the server if there are several.
    """
    crew = Crew(place, CREW, urls=urls or [place.url])
    work = Work(crew.chance, seconds)
    try:
        for fault in faults:
            work.top_up()
            crew.tend()
            fault(crew)
        crew.thaw_all()
        work.wait_for_all(within=drain)
        crew.dismiss()
    finally:
        crew.end()
    return collect(crew, work)


def collect(crew: Crew, work: Work) -> History:
    """Return the history of a storm that is over."""
    client = store()
    crew.marks.read_on()
    return History(
        enqueued=frozenset(work.enqueued),
        runs=tuple(runs_of(crew.marks.marks)),
        records={job: _record(client, job) for job in work.enqueued if client.exists(keys.job(job))},
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


def _cached(client: Redis) -> Iterator[tuple[str, str]]:
    for key in client.scan_iter(keys.cache("marked:*"), count=1000):
        yield key.decode(), json.loads(client.get(key))["value"]
