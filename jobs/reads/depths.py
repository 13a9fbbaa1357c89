"""How many jobs a queue has in each state, from lengths and a bounded look at the registries that mix states.

RQ's scheduled registry also holds the retrying and the parked jobs, its failed registry also the stopped ones: only a
job's own hash tells. The first WINDOW of each are looked at, and a count beyond that says which way it may be off.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from jobs import keys
from jobs.names import exact
from jobs.reads import shared, states
from jobs.reads.fields import from_ms, line, moment, number
from jobs.reads.named_records import RecordsQuestion
from jobs.reads.tallies import Tally, at_least, at_most
from jobs.reads.trips import Trip

JOB = keys.job("*")
STATE = ("status", "m_state", "m_parked")
WINDOW = 50
FEW = 10
"""So many where there are more than the window takes in, and the number is inexact anyway: of those that failed, and of
those scheduled too where a glance is enough.
"""


@dataclass(frozen=True, slots=True)
class QueueDepths:
    """The jobs of one queue by state, and since when the oldest has waited. Parked jobs are among the waiting."""

    waiting: Tally
    parked: Tally
    in_flight: int
    scheduled: Tally
    retrying: Tally
    finished: int
    dead: Tally
    stopped: Tally
    deferred: int
    canceled: int
    discarded: int
    oldest: datetime | None


class DepthsQuestion:
    """The questions about one queue's depths, asked on two trips; on none where this page knows them already.

    `glance`: what was counted closely counts, and else fewer jobs are looked at.
    """

    def __init__(self, name: str, now: datetime, *, glance: bool = False) -> None:
        self._known: QueueDepths | None = shared.recall("depths", name)
        self._written = name
        self._name = exact(name)
        self._now = now.timestamp()
        self._glance = glance
        self._head = RecordsQuestion(keys.queue(self._name), JOB, ("enqueued_at", "m_parked"), kind="list")
        self._in_schedule = RecordsQuestion(keys.scheduled(self._name), JOB, STATE, kind="zset")
        self._in_failed = RecordsQuestion(keys.failed(self._name), JOB, STATE, kind="zset", newest_first=True)

    def ask_lengths(self, trip: Trip) -> None:
        """Ask for what has a length."""
        if self._known:
            return
        name, alive = self._name, (self._now, "+inf")
        self._waiting = trip.ask("llen", keys.queue(name))
        self._parked = trip.ask("zcard", keys.parked(name))
        self._in_flight = trip.ask("zcard", keys.started(name))
        self._finished = trip.ask("zcount", keys.finished(name), *alive)
        self._deferred = trip.ask("zcard", keys.deferred(name))
        self._canceled = trip.ask("zcard", keys.canceled(name))
        self._discarded = trip.ask("zcount", keys.bin_of(name), *alive)
        self._scheduled = trip.ask("zcard", keys.scheduled(name))
        self._failed = trip.ask("zcount", keys.failed(name), *alive)
        self._head.ask_members(trip, 1)
        self._in_schedule.ask_members(trip, WINDOW)
        self._in_failed.ask_members(trip, WINDOW)

    def ask_states(self, trip: Trip) -> None:
        """Ask for the states of the jobs to be looked at, and for the times of the next one."""
        if self._known:
            return
        scheduled, failed = number(self._scheduled.value), number(self._failed.value)
        if self._waiting.value:
            self._head.ask(trip, 1)
        if scheduled:
            self._in_schedule.ask(trip, FEW if self._glance and scheduled > WINDOW else WINDOW)
        if failed:
            self._in_failed.ask(trip, FEW if failed > WINDOW else WINDOW)

    def answer(self) -> QueueDepths:
        """Return the depths once both trips are made."""
        if self._known is None:
            self._known = self._count()
            if not self._glance:
                shared.remember(self._known, "depths", self._written)
        return self._known

    def _count(self) -> QueueDepths:
        scheduled, failed = number(self._scheduled.value), number(self._failed.value)
        in_schedule = self._in_schedule.answer()
        found = _states(in_schedule)
        retrying, parked = found.count(states.RETRYING), found.count(states.WAITING)
        stopped = min(_states(self._in_failed.answer()).count(states.STOPPED), failed)
        all_seen = scheduled <= WINDOW
        all_parked = Tally(number(self._parked.value)) + at_least(parked, exact=all_seen)
        return QueueDepths(
            waiting=Tally(number(self._waiting.value)) + all_parked,
            parked=all_parked,
            in_flight=number(self._in_flight.value),
            scheduled=at_most(max(0, scheduled - retrying - parked), exact=all_seen),
            retrying=at_least(retrying, exact=all_seen),
            finished=number(self._finished.value),
            dead=at_most(failed - stopped, exact=failed <= WINDOW),
            stopped=at_least(stopped, exact=failed <= WINDOW),
            deferred=number(self._deferred.value),
            canceled=number(self._canceled.value),
            discarded=number(self._discarded.value),
            oldest=_oldest(self._head.answer(), in_schedule),
        )


def _states(records: list[tuple[Any, ...]]) -> list[str]:
    return [states.job_state(line(status), line(marker)) for _, status, marker, _ in records]


def _oldest(head: list[tuple[Any, ...]], in_schedule: list[tuple[Any, ...]]) -> datetime | None:
    """Return since when the oldest has waited; one that was parked since it was parked, wherever it is now."""
    waiting = (from_ms(was_parked) or moment(enqueued) for _, enqueued, was_parked in head)
    parked = (from_ms(at) for _, _, marker, at in in_schedule if line(marker) == "parked")
    return min((at for at in (*waiting, *parked) if at), default=None)
