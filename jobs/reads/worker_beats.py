"""Which workers report, and on which queues: the little that every page reads of each of a thousand."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import chain
from typing import Any
from weakref import WeakSet

from redis import ConnectionPool, Redis

from jobs import keys
from jobs.connection import store
from jobs.names import written
from jobs.reads import heartbeats, shared
from jobs.reads.fields import line, moment, span_ms
from jobs.reads.trips import Answer, Trip

MOST, PART = 1000, 500
"""So many are read, in parts, so that no command keeps Redis for long."""

PREFIX = keys.worker().encode()
MOST_QUEUES = 200
BUSY = "busy"
FIELDS = ("queues", "state", "last_heartbeat", "m_visibility", "m_version")
"""Each costs Redis 0.7 ms for a thousand workers."""

_denied: WeakSet[ConnectionPool] = WeakSet()
"""The connections that may not `SORT`, which Redis would note each time."""


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
    """The question about all workers: a command for each 500, none where this page knows them already.

    `SORT … GET` needs the right to read all keys. A Redis user without it is asked for each worker by itself.
    """

    def __init__(self, client: Redis | None = None) -> None:
        self._client = client or store()
        self._beats: list[WorkerBeat] | None = shared.recall("workers")
        self._parts: list[Answer] = []

    def ask(self, trip: Trip) -> None:
        """Ask for the key, the queues and the heartbeat of each, of any MOST where there are more."""
        if self._beats is None and self._client.connection_pool not in _denied:
            wanted = {"by": "nosort", "get": ["#", *map("*->{}".format, FIELDS)], "num": PART, "groups": True}
            starts = range(0, MOST, PART)
            self._parts = [trip.ask_if_allowed("sort", keys.WORKERS, start=start, **wanted) for start in starts]

    def answer(self, now: datetime) -> list[WorkerBeat]:
        """Return the workers by name, once the trip is made; two more trips where `SORT` is denied."""
        if self._beats is None:
            together = self._parts and not any(part.denied for part in self._parts)
            found = chain.from_iterable(part.value or () for part in self._parts) if together else self._read_each()
            beats = {each[0]: _read_record(each).judge(now) for each in found}
            self._beats = sorted(beats.values(), key=lambda beat: beat.name)
            shared.remember(self._beats, "workers")
        return self._beats

    def _read_each(self) -> list[tuple[Any, ...]]:
        _denied.add(self._client.connection_pool)
        first = Trip(self._client)
        known = first.ask("smembers", keys.WORKERS)
        first.go()
        second = Trip(self._client)
        answers = {key: second.ask("hmget", key, *FIELDS) for key in sorted(known.value or ())[:MOST]}
        second.go()
        return [(key, *(answer.value or (None,) * len(FIELDS))) for key, answer in answers.items()]


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
