"""A lock as its own record says, with a verdict on whoever holds it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from jobs import keys
from jobs.names import written
from jobs.reads import heartbeats, worker_rows
from jobs.reads.fields import from_ms, line, number, optional_number, span_ms
from jobs.reads.frame import is_stuck
from jobs.reads.job_payloads import ask_name, read_name
from jobs.reads.trips import Answer, Trip

UNKNOWN: Final = "unknown"

FIELDS = (
    "holder",
    "token",
    "job",
    "worker",
    "attempt",
    "host",
    "pid",
    "thread",
    "acquired",
    "renewed",
    "lease",
    "max",
    "renewals",
    "waited",
)
NEARLY = 0.8


@dataclass(frozen=True, slots=True)
class LockRow:
    """A hold: of what, by whom, since when and until when. `function` is empty where it is not a job that holds."""

    resource: str
    holder: str
    token: str
    job_id: str
    function: str
    attempt: int | None
    worker: str
    host: str
    pid: int | None
    thread: str
    verdict: str
    since: datetime | None
    maximum: timedelta | None
    lease_ends: datetime | None
    renewals: int
    waited: timedelta
    waiters: int
    stuck: bool
    late: bool

    @property
    def alive(self) -> bool:
        """Whether somebody is known to be at work under this lock."""
        return self.verdict in (heartbeats.ALIVE, heartbeats.LATE)

    @property
    def short_token(self) -> str:
        return f"{self.token[:4]}…{self.token[-3:]}" if len(self.token) > 9 else self.token  # noqa: PLR2004

    @property
    def tone(self) -> str:
        return "dead" if self.stuck else "retrying" if self.late else "in-flight"


class LockQuestion:
    """The questions about one lock, asked on two trips: its record, then what its holder is."""

    def __init__(self, resource: str) -> None:
        self.resource = resource
        self.values: dict[str, Any] = {}
        self._job, self._beat = Answer(), Answer()

    def ask_hold(self, trip: Trip) -> None:
        """Ask for the hold and the number of its waiters."""
        self._hold = trip.ask("hmget", keys.lock(self.resource), *FIELDS)
        self._waiters = trip.ask("zcard", keys.waiters(self.resource))

    def ask_holder(self, trip: Trip) -> None:
        """Ask for the names and the heartbeat of the job and the worker that hold it."""
        self.values = dict(zip(FIELDS, self._hold.value or [None] * len(FIELDS), strict=True))
        if self.values["job"]:
            self._job = ask_name(trip, line(self.values["job"]))
        if self.values["worker"]:
            self._beat = worker_rows.ask_worker(trip, line(self.values["worker"]))

    @property
    def held(self) -> bool:
        """Whether there is a hold, once it was asked for."""
        return any(self._hold.value or ())

    @property
    def waiters(self) -> int:
        return number(self._waiters.value)

    def answer(self, now: datetime) -> LockRow:
        """Return the row, once both trips are made."""
        values = self.values
        since, maximum = from_ms(values["acquired"]), span_ms(values["max"])
        renewed, lease = from_ms(values["renewed"]) or since, span_ms(values["lease"])
        return LockRow(
            resource=written(self.resource),
            holder=line(values["holder"]),
            token=line(values["token"], 30),
            job_id=line(values["job"]),
            function=read_name(self._job),
            attempt=optional_number(values["attempt"]),
            worker=line(values["worker"]),
            host=line(values["host"], 80),
            pid=optional_number(values["pid"]),
            thread=line(values["thread"], 80),
            verdict=self._verdict(now),
            since=since,
            maximum=maximum,
            lease_ends=renewed + lease if renewed and lease else None,
            renewals=number(values["renewals"]),
            waited=span_ms(values["waited"]) or timedelta(0),
            waiters=self.waiters,
            stuck=bool(since and maximum and is_stuck(since, maximum, now)),
            late=bool(since and maximum and now - since > NEARLY * maximum),
        )

    def _verdict(self, now: datetime) -> str:
        """A lock outside jobs has no worker whose heartbeat would tell."""
        name = line(self.values["worker"])
        if not name or self._beat.value is None:
            return UNKNOWN
        return worker_rows.build_worker(name, self._beat, now).verdict
