"""The locks: who holds what, for how long, who waits for it, and who held it before."""

from dataclasses import dataclass
from datetime import datetime

from jobs import keys
from jobs.names import decoded, exact
from jobs.reads.fields import from_ms, line, server_time
from jobs.reads.lock_rows import LockQuestion, LockRow
from jobs.reads.lock_waiters import Waiter, WaitersQuestion
from jobs.reads.past_holds import PastHolds, PastHoldsQuestion
from jobs.reads.tallies import Tally, at_least
from jobs.reads.trips import Trip

ROWS = 50


@dataclass(frozen=True, slots=True)
class LockList:
    """Some of the locks, the nearest to being stuck first: those that are stuck head the list. `waiters` are theirs."""

    rows: tuple[LockRow, ...]
    waiters: Tally
    has_next: bool


@dataclass(frozen=True, slots=True)
class ForcedRelease:
    """The last time a person released this lock, for an hour."""

    token: str
    by: str
    reason: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class LockDetail:
    """A resource's lock: its hold, None while it is free; who waits for it, in line; and who held it last."""

    resource: str
    hold: LockRow | None
    waiters: tuple[Waiter, ...]
    waiting: int
    past: PastHolds
    released: ForcedRelease | None


def list_locks(page: int = 1) -> LockList:
    """Return a page of the locks, in three round trips.

    Raises a member of `jobs.connection.StoreAway` when the server is away.
    """
    return read_nearest_to_stuck(ROWS, skip=(page - 1) * ROWS)


def read_nearest_to_stuck(count: int, *, skip: int = 0) -> LockList:
    """Return `count` locks, those nearest to being stuck after the first `skip`, in three round trips.

    Fewer where the index names some that have lapsed. Raises a member of `jobs.connection.StoreAway` when the server
    is away.
    """
    first = Trip()
    clock, names = first.ask("time"), first.ask("zrange", keys.LOCKS, skip, skip + count)
    first.go()

    found = names.value or []
    questions = [LockQuestion(decoded(name)) for name in found[:count]]
    second = Trip()
    for question in questions:
        question.ask_hold(second)
    second.go()

    held = [question for question in questions if question.held]
    third = Trip()
    for question in held:
        question.ask_holder(third)
    third.go()
    now, has_next = server_time(clock.value), len(found) > count
    return LockList(
        rows=tuple(question.answer(now) for question in held),
        waiters=at_least(sum(question.waiters for question in held), exact=not (skip or has_next)),
        has_next=has_next,
    )


def show_lock(resource: str) -> LockDetail:
    """Return a resource's lock, held or free, in two round trips; `resource` is as `names.written` writes it.

    Raises a member of `jobs.connection.StoreAway` when the server is away.
    """
    first, name = Trip(), exact(resource)
    hold, waiters, past = LockQuestion(name), WaitersQuestion(name), PastHoldsQuestion(name)
    clock = first.ask("time")
    hold.ask_hold(first)
    waiters.ask_line(first)
    past.ask_holds(first)
    revoked = first.ask("hmget", keys.revoked(name), "token", "by", "reason", "at")
    first.go()

    second = Trip()
    hold.ask_holder(second)
    waiters.ask_each(second)
    past.ask_jobs(second)
    second.go()

    now = server_time(clock.value)
    token, by, reason, at = revoked.value or (None, None, None, None)
    return LockDetail(
        resource=resource,
        hold=hold.answer(now) if hold.held else None,
        waiters=waiters.answer(now),
        waiting=hold.waiters,
        past=past.answer(),
        released=ForcedRelease(line(token), line(by), line(reason, 500), from_ms(at)) if token else None,
    )
