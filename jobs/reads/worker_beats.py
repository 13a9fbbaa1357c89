"""Which workers report, and on which queues: the little that every page reads of each of a thousand."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from redis import Redis

from jobs import keys
from jobs.names import written
from jobs.reads import heartbeats, shared
from jobs.reads.fields import line, moment, span_ms
from jobs.reads.named_records import RecordsQuestion
from jobs.reads.trips import Trip

MOST = 1000
"""So many are read."""

PREFIX = keys.worker().encode()
MOST_QUEUES = 200
BUSY = "busy"
FIELDS = ("queues", "state", "last_heartbeat", "m_visibility", "m_version")
"""Each costs Redis 0.7 ms for a thousand workers."""


@dataclass(frozen=True, slots=True)
class WorkerRecord:
    """What a worker's record says whenever it is read: its queues, whether it runs a job, when it was heard of.

    `version` is Mandor's, empty for a stock worker; `visibility` its claims' timeout.
    """

    name: str
    queues: tuple[str, ...]
    version: str
    busy: bool
    heard: datetime | None
    visibility: timedelta | None

    def judge(self, now: datetime) -> "WorkerBeat":
        verdict = heartbeats.judge_heartbeat(self.heard, now=now, visibility=self.visibility, busy=self.busy)
        return WorkerBeat(self.name, self.queues, self.version, self.busy, self.heard, self.visibility, verdict)


@dataclass(frozen=True, slots=True)
class WorkerBeat(WorkerRecord):
    """A worker with a verdict on its heartbeat: alive, late or gone."""

    verdict: str

    @property
    def gone(self) -> bool:
        return self.verdict == heartbeats.GONE


class BeatsQuestion:
    """The question about all workers, or any MOST where there are more; none where this page knows them already."""

    def __init__(self, client: Redis | None = None) -> None:
        self._beats: list[WorkerBeat] | None = shared.recall("workers")
        self._records = RecordsQuestion(keys.WORKERS, "*", FIELDS, kind="set", client=client)

    def ask(self, trip: Trip) -> None:
        """Ask for the key, the queues and the heartbeat of each."""
        if self._beats is None:
            self._records.ask(trip, MOST)

    def answer(self, now: datetime) -> list[WorkerBeat]:
        """Return the workers by name, once the trip is made; two more trips where the Redis user may not `SORT`."""
        if self._beats is None:
            beats = {each[0]: _read_record(each).judge(now) for each in self._records.answer()}
            self._beats = sorted(beats.values(), key=lambda beat: beat.name)
            shared.remember(self._beats, "workers")
        return self._beats


@lru_cache(maxsize=1_000)
def read_queues(listed: bytes) -> tuple[str, ...]:
    """Return the names that RQ joined with commas, the first MOST_QUEUES of them."""
    return tuple(written(name) for name in listed.split(b",", MOST_QUEUES)[:MOST_QUEUES] if name)


def judge_worker(
    state: bytes | None, heard: bytes | None, death: bytes | None, visibility: bytes | None, *, now: datetime
) -> str:
    """Return the verdict on a worker by four fields of its record."""
    return heartbeats.GONE if death else _read_record((b"", None, state, heard, visibility, None)).judge(now).verdict


@lru_cache(maxsize=2 * MOST)
def _read_record(values: tuple[Any, ...]) -> WorkerRecord:
    """Read a key and FIELDS; most workers say the same on the next page, until their next heartbeat."""
    key, queues, state, heard, visibility, version = values
    return WorkerRecord(
        name=written(key.removeprefix(PREFIX)),
        queues=read_queues(queues or b""),
        version=line(version, 20),
        busy=line(state, 20) == BUSY,
        heard=moment(heard),
        visibility=span_ms(visibility),
    )
