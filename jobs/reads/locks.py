"""The locks: who holds what, for how long, and who waits for it."""

from dataclasses import dataclass
from datetime import UTC, datetime

from jobs import keys
from jobs.reads.fields import from_ms, line, server_time, text
from jobs.reads.job_payloads import read_description
from jobs.reads.lock_rows import LockQuestion, LockRow
from jobs.reads.tallies import Tally, at_least
from jobs.reads.trips import Trip

MOST = 1000
MOST_WAITERS = 100
ROWS = 50
START = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class LockList:
    """One page of locks, stuck ones first, then the longest held, and the counts of all."""

    rows: tuple[LockRow, ...]
    held: Tally
    stuck: int
    waiters: int
    has_next: bool


@dataclass(frozen=True, slots=True)
class Waiter:
    """A parked job, and since when it waits for the lock."""

    job_id: str
    function: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class ForcedRelease:
    """The last time a person released this lock, for an hour."""

    token: str
    by: str
    reason: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class LockDetail:
    """A resource's lock: its hold, None while it is free, and who waits for it, the first in line first."""

    resource: str
    hold: LockRow | None
    waiters: tuple[Waiter, ...]
    waiting: int
    released: ForcedRelease | None


def list_locks(page: int = 1) -> LockList:
    """Return a page of the locks, in three round trips.

    Raises a member of `jobs.connection.StoreAway` when the server is away.
    """
    first = Trip()
    clock, names = first.ask("time"), first.ask("zrange", keys.LOCKS, 0, MOST)
    first.go()

    now = server_time(clock.value)
    questions = [LockQuestion(text(name)) for name in (names.value or ())]
    second = Trip()
    for question in questions:
        question.ask_hold(second)
    second.go()

    held = sorted((q for q in questions if q.held), key=lambda question: _urgency(question.answer(now)))
    shown = held[(page - 1) * ROWS : page * ROWS]
    third = Trip()
    for question in shown:
        question.ask_holder(third)
    third.go()
    return LockList(
        rows=tuple(question.answer(now) for question in shown),
        held=at_least(len(held), exact=len(questions) <= MOST),
        stuck=sum(question.answer(now).stuck for question in held),
        waiters=sum(question.waiters for question in held),
        has_next=len(held) > page * ROWS,
    )


def show_lock(resource: str) -> LockDetail:
    """Return a resource's lock, held or free, in two round trips.

    Raises a member of `jobs.connection.StoreAway` when the server is away.
    """
    first, question = Trip(), LockQuestion(resource)
    clock = first.ask("time")
    question.ask_hold(first)
    waiters = first.ask("zrange", keys.waiters(resource), 0, MOST_WAITERS - 1, withscores=True)
    revoked = first.ask("hmget", keys.revoked(resource), "token", "by", "reason", "at")
    first.go()

    second = Trip()
    question.ask_holder(second)
    jobs = [
        (line(job_id), since, second.ask("hmget", keys.job(line(job_id)), "m_name", "description"))
        for job_id, since in waiters.value or ()
    ]
    second.go()
    token, by, reason, at = revoked.value or (None, None, None, None)
    return LockDetail(
        resource=resource,
        hold=question.answer(server_time(clock.value)) if question.held else None,
        waiters=tuple(Waiter(job_id, _function(job.value), from_ms(since)) for job_id, since, job in jobs),
        waiting=question.waiters,
        released=ForcedRelease(line(token), line(by), line(reason, 500), from_ms(at)) if token else None,
    )


def _urgency(row: LockRow) -> tuple[bool, datetime]:
    return not row.stuck, row.since or START


def _function(fields: list[bytes | None] | None) -> str:
    name, description = fields or (None, None)
    return line(name) or read_description(line(description))[0]
