"""The queues whose jobs refresh the namespaces of the cache, and for how long their oldest job has waited."""

from dataclasses import dataclass
from datetime import datetime

from jobs import keys
from jobs.caching import namespace_of
from jobs.conf import conf
from jobs.connection import store
from jobs.reads.fields import line, moment
from jobs.reads.trips import Answer, Trip
from jobs.registry import list_jobs


@dataclass(frozen=True, slots=True)
class Refresher:
    """The queue that refreshes a namespace; `oldest` is since when its next job waits, None when none does."""

    queue: str
    oldest: datetime | None


class RefresherQuestion:
    """The questions about all namespaces that a registered job names, asked on two trips to the jobs' server.

    They go along with the cache's own where both lie on one server.
    """

    def __init__(self) -> None:
        cached = [job for job in list_jobs() if job.coordination.cache]
        self._queues = {namespace_of(job.coordination.cache or ""): job.queue for job in cached}
        self._heads: dict[str, Answer] = {}
        self._times: dict[str, Answer] = {}

    def ask_heads(self, trip: Trip) -> None:
        """Ask which job each queue has waiting for longest."""
        own = Trip(store()) if conf().CACHE_URL else trip
        self._heads = {queue: own.ask("lindex", keys.queue(queue), 0) for queue in set(self._queues.values())}
        if own is not trip:
            own.go()

    def ask_times(self, trip: Trip) -> None:
        """Ask since when each of those waits."""
        own = Trip(store()) if conf().CACHE_URL else trip
        heads = {queue: line(head.value) for queue, head in self._heads.items() if head.value}
        self._times = {queue: own.ask("hget", keys.job(job_id), "enqueued_at") for queue, job_id in heads.items()}
        if own is not trip:
            own.go()

    def answer(self) -> dict[str, Refresher]:
        """Return who refreshes each namespace, once both trips are made."""
        oldest = {queue: moment(answer.value) for queue, answer in self._times.items()}
        return {namespace: Refresher(queue, oldest.get(queue)) for namespace, queue in self._queues.items()}
