"""Who waits for a lock, in line: parked jobs, and code that waits in `locks.hold`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from jobs import keys
from jobs.reads import heartbeats
from jobs.reads.fields import from_ms, line, optional_number
from jobs.reads.job_payloads import ask_name, read_name
from jobs.reads.trips import Answer, Trip

MOST = 100
CODE = "hold:"


@dataclass(frozen=True, slots=True)
class Waiter:
    """One in line, by its name: the id of a parked job, or code somewhere, whose verdict is that on its heartbeat.

    `function` belongs to a job; `host`, `pid` and `verdict` to code. `woken` means that the lock is reserved for it.
    """

    name: str
    since: datetime | None
    woken: bool
    job_id: str = ""
    function: str = ""
    host: str = ""
    pid: int | None = None
    verdict: str = ""

    @property
    def alive(self) -> bool:
        return self.verdict == heartbeats.ALIVE


class WaitersQuestion:
    """The questions about a line, asked on two trips: who stands in it, then what each of these is."""

    def __init__(self, resource: str) -> None:
        self.resource = resource
        self._jobs: dict[str, Answer] = {}
        self._beats: dict[str, Any] = {}
        self._heard = Answer()

    def ask_line(self, trip: Trip) -> None:
        self._line = trip.ask("zrange", keys.waiters(self.resource), 0, MOST - 1, withscores=True)
        self._reserved = trip.ask("get", keys.reserved(self.resource))

    def ask_each(self, trip: Trip) -> None:
        """Ask for the names of the jobs and, in one question, for the heartbeats of all others."""
        self._names = [(line(name), since) for name, since in self._line.value or ()]
        self._jobs = {name: ask_name(trip, name) for name, _ in self._names if not name.startswith(CODE)}
        self._code = [name for name, _ in self._names if name.startswith(CODE)]
        if self._code:
            self._heard = trip.ask("zmscore", keys.beats(self.resource), self._code)

    def answer(self, now: datetime) -> tuple[Waiter, ...]:
        """Return the waiters, the first in line first, once both trips are made."""
        beats = dict(zip(self._code, self._heard.value or [None] * len(self._code), strict=True))
        woken = line(self._reserved.value)
        found = []
        for name, score in self._names:
            since = from_ms(score)
            if name in self._jobs:
                function = read_name(self._jobs[name])
                found.append(Waiter(name, since, name == woken, job_id=name, function=function))
            else:
                host, pid = _read_place(name)
                verdict = _judge(from_ms(beats[name]), now)
                found.append(Waiter(name, since, name == woken, host=host, pid=pid, verdict=verdict))
        return tuple(found)


def _read_place(name: str) -> tuple[str, int | None]:
    """Return host and process id of `hold:<host>:<pid>:<n>`."""
    host, _, pid = name.removeprefix(CODE).rpartition(":")[0].rpartition(":")
    return host, optional_number(pid)


def _judge(beat_ends: datetime | None, now: datetime) -> str:
    return heartbeats.ALIVE if beat_ends and beat_ends >= now else heartbeats.GONE
