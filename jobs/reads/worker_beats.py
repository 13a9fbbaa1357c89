"""Which workers report, and on which queues: the little that every page reads of each of a thousand."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from jobs import keys
from jobs.names import exact, written
from jobs.reads import heartbeats, shared
from jobs.reads.fields import line, moment, span_ms
from jobs.reads.trips import Answer, Trip

MOST = 1000
MOST_QUEUES = 200
FIELDS = (b"queues", b"state", b"last_heartbeat", b"death", b"m_visibility", b"m_version")


@dataclass(frozen=True, slots=True)
class WorkerBeat:
    """A worker's queues, its version of Mandor, and a verdict on its heartbeat: alive, late or gone."""

    name: str
    queues: tuple[str, ...]
    version: str
    verdict: str

    @property
    def gone(self) -> bool:
        return self.verdict == heartbeats.GONE


class BeatsQuestion:
    """The questions about all workers, asked on two trips; on none where this page knows them already."""

    def __init__(self) -> None:
        self._beats: list[WorkerBeat] | None = shared.recall("workers")

    def ask_names(self, trip: Trip) -> None:
        """Ask for the keys of all workers."""
        if self._beats is None:
            self._keys = trip.ask("smembers", keys.WORKERS)

    def ask_beats(self, trip: Trip) -> None:
        """Ask for the queues and the heartbeat of each."""
        if self._beats is None:
            self._answers = [(name, trip.ask("hmget", keys.worker(exact(name)), *FIELDS)) for name in self.names]

    @property
    def names(self) -> list[str]:
        """The first MOST names in order, once they were asked for."""
        if self._beats is not None:
            return [beat.name for beat in self._beats]
        prefix = keys.worker().encode()
        return sorted(written(key.removeprefix(prefix)) for key in self._keys.value or ())[:MOST]

    def answer(self, now: datetime) -> list[WorkerBeat]:
        """Return the workers by name, once both trips are made."""
        if self._beats is None:
            self._beats = [_build(name, answer, now) for name, answer in self._answers]
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
    if death:
        return heartbeats.GONE
    busy = line(state, 20) == "busy"
    return heartbeats.judge_heartbeat(moment(heard), now=now, visibility=span_ms(visibility), busy=busy)


def _build(name: str, answer: Answer, now: datetime) -> WorkerBeat:
    queues, state, heard, death, visibility, version = answer.value or [None] * len(FIELDS)
    verdict = judge_worker(state, heard, death, visibility, now=now)
    return WorkerBeat(name, read_queues(queues or b""), line(version, 20), verdict)
