"""RQ's cron jobs: their rules, when they run next and ran last, and how that came out."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from rq.defaults import DEFAULT_CRON_SCHEDULER_TTL

from jobs import keys
from jobs.names import exact, written
from jobs.reads import cron_records, states
from jobs.reads.fields import from_seconds, line, moment, scored, span_seconds
from jobs.reads.job_rows import ADDRESSABLE
from jobs.reads.trips import Answer, Trip
from jobs.registry import UnknownJob, find_job

MOST = 100
PATIENCE = timedelta(seconds=DEFAULT_CRON_SCHEDULER_TTL)
UNREADABLE = "unreadable"
TOO_LONG = "too long"
NO_SCHEDULER = "no scheduler"


@dataclass(frozen=True, slots=True)
class CronRow:
    """A cron job: its rule, when it runs next and ran last, and the state of the job it made then.

    `place` is where it stands in its scheduler's record, `arguments` None where they cannot be read safely. `problem`
    is one of the words above; with the first two the row stands for a whole record.
    """

    name: str
    scheduler: str = ""
    place: int = 0
    function: str = ""
    arguments: str | None = ""
    queue: str = ""
    cron: str = ""
    every: timedelta | None = None
    next: datetime | None = None
    last: datetime | None = None
    last_job: str = ""
    outcome: str = ""
    runnable: bool = False
    problem: str = ""

    @property
    def addressable(self) -> bool:
        return bool(ADDRESSABLE.fullmatch(self.last_job))


class CronQuestion:
    """The questions about all cron jobs, asked on three trips."""

    def ask_names(self, trip: Trip) -> None:
        self._schedulers = trip.ask("zrange", keys.CRON_SCHEDULERS, 0, MOST - 1, withscores=True)
        self._names = trip.ask("zrange", keys.CRON_JOBS, 0, MOST - 1, desc=True, withscores=True)

    def ask_lengths(self, trip: Trip) -> None:
        """Ask how long each scheduler's record is, and which job each cron job made last."""
        self._lengths = {name: cron_records.ask_length(trip, name) for name in _named(self._schedulers)}
        self._made = {
            name: trip.ask("zrange", keys.cron_history(exact(name)), 0, 0, desc=True) for name in _named(self._names)
        }

    def ask_records(self, trip: Trip) -> None:
        """Ask for the records that are not too long, and for the state of each newest job."""
        self._records = {name: cron_records.ask_record(trip, name, length) for name, length in self._lengths.items()}
        self._runs = {name: _Run(last, self._made[name], trip) for name, last in _named(self._names).items()}

    def answer(self, now: datetime) -> tuple[CronRow, ...]:
        """Return the cron jobs, soonest first; those that no scheduler runs any more last."""
        rows = [
            row
            for name, beat in _named(self._schedulers).items()
            for row in self._read(name, alive=now.timestamp() - beat <= PATIENCE.total_seconds())
        ]
        known = {row.name for row in rows}
        rows.extend(
            CronRow(name, problem=NO_SCHEDULER, **run.known) for name, run in self._runs.items() if name not in known
        )
        return tuple(sorted(rows, key=_soonest))

    def _read(self, scheduler: str, *, alive: bool) -> list[CronRow]:
        record = self._records[scheduler]
        if record is None:
            return [CronRow(scheduler, scheduler, problem=TOO_LONG)]
        entries = cron_records.read_entries(record)
        if entries is None:
            return [CronRow(scheduler, scheduler, problem=UNREADABLE)] if alive else []
        return [self._row(scheduler, place, entry, alive=alive) for place, entry in enumerate(entries)]

    def _row(self, scheduler: str, place: int, entry: dict[str, Any], *, alive: bool) -> CronRow:
        name, call = cron_records.read_name(entry), cron_records.read_call(entry)
        return CronRow(
            name=name,
            scheduler=scheduler,
            place=place,
            function=line(cron_records.read_text(entry, "func_name")),
            arguments=call.shown if call else None,
            queue=written(cron_records.read_text(entry, "queue_name")),
            cron=line(cron_records.read_text(entry, "cron")),
            every=span_seconds(entry.get("interval")),
            next=moment(entry.get("next_enqueue_time")) if alive else None,
            runnable=bool(name and call and not call.positional and _is_registered(call.function)),
            problem="" if alive else NO_SCHEDULER,
            **self._known(name),
        )

    def _known(self, name: str) -> dict[str, Any]:
        return self._runs[name].known if name in self._runs else {}


class _Run:
    """When a cron job last put a job on its queue, and the question what became of that."""

    def __init__(self, last: float, made: Answer, trip: Trip) -> None:
        self._last = last
        self._job_id = line(next(iter(made.value or ()), b""))
        self._job = trip.ask("hmget", keys.job(self._job_id), "status", "m_state")

    @property
    def known(self) -> dict[str, Any]:
        """The fields of the row; the job's record may have ended, and its outcome is then not known."""
        status, marker = self._job.value or (None, None)
        outcome = states.job_state(line(status), line(marker)) if status else ""
        return {"last": from_seconds(self._last), "last_job": self._job_id, "outcome": outcome}


def _named(answer: Answer) -> dict[str, float]:
    return {written(name): score for name, score in scored(answer.value)}


def _is_registered(function: str) -> bool:
    try:
        return bool(find_job(function))
    except UnknownJob:
        return False


def _soonest(row: CronRow) -> tuple[bool, float, str, int]:
    return bool(row.problem), row.next.timestamp() if row.next else 0, row.name, row.place
