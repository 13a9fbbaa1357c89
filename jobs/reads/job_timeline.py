"""What happened to a job, step by step, in sentences, with the time between the steps."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from jobs.reads import states
from jobs.reads.fields import LINE, from_ms, line, records, span_ms
from jobs.reads.figures import figure

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

LONGEST = 100
SHORTEST = timedelta(milliseconds=100)
"""Steps closer than that are one moment to people, such as those that one script wrote."""


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One step: when, what in a few words, more in a line, how long after the one before, and its state."""

    at: datetime | None
    what: str
    text: str
    after: timedelta | None
    state: str

    @property
    def tone(self) -> str:
        return "idle" if self.state == states.UNKNOWN else self.state.replace("_", "-")


STATES = {
    "enqueued": states.WAITING,
    "created": states.SCHEDULED,
    "taken": states.IN_FLIGHT,
    "lock acquired": states.IN_FLIGHT,
    "parked": states.WAITING,
    "woken": states.WAITING,
    "failed": states.RETRYING,
    "retry due": states.RETRYING,
    "finished": states.FINISHED,
    "cache written": states.FINISHED,
    "cache refused": states.RETRYING,
    "crashed": states.RETRYING,
    "reclaimed": states.WAITING,
    "returned": states.WAITING,
    "replaced": states.WAITING,
    "gave way": states.CANCELED,
    "lease lost": states.RETRYING,
    "dead": states.DEAD,
    "stopped": states.STOPPED,
    "retried by hand": states.WAITING,
    "released by hand": states.STOPPED,
    "stop asked": states.STOPPED,
    "discarded": states.UNKNOWN,
    "restored": states.WAITING,
    "edited from": states.SCHEDULED,
    "edited as": states.SCHEDULED,
}


Step = tuple[datetime | None, str, dict[str, Any]]
"""When, what, and what belongs to it."""


def read_timeline(
    entries: Any,
    *,
    created: datetime | None,
    enqueued: datetime | None,
    source: str,
    running: list[Step],
) -> tuple[TimelineEntry, ...]:
    """Return the steps, oldest first. That it was enqueued stands in the job's own record, not among the entries.

    An attempt writes its steps when it ends; `running` are those of one that has not ended. A retry by hand writes a
    new time of enqueueing, so that only one before all entries is a step of its own.
    """
    recorded = _in_order(
        [(from_ms(row.get("at")), line(row.get("what")) or "unreadable", row) for row in records(entries)]
    )
    recorded += running
    first = next((at for at, _, _ in recorded if at), None)
    born = created if enqueued is None or (first and enqueued > first) else enqueued
    steps = [(born, "created" if enqueued is None else "enqueued", {"from": source}), *recorded] if born else recorded
    return tuple(
        TimelineEntry(at, what, _text(what, entry), _after(at, before), STATES.get(what, states.UNKNOWN))
        for (at, what, entry), (before, _, _) in zip(steps, [(None, "", {}), *steps], strict=False)
    )


def _in_order(steps: list[Step]) -> list[Step]:
    """Return the steps by time; one without a time stays behind the one before it."""
    latest = datetime.min.replace(tzinfo=UTC)
    placed = []
    for step in steps:
        latest = step[0] or latest
        placed.append((latest, step))
    return [step for _, step in sorted(placed, key=lambda pair: pair[0])]


def _after(at: datetime | None, before: datetime | None) -> timedelta | None:
    return at - before if at and before and at - before >= SHORTEST else None


def _text(what: str, entry: dict[str, Any]) -> str:
    said = {name: line(value, LINE) for name, value in entry.items()}
    parts = (part(said) for part in PARTS.get(what, ()))
    return ", ".join(part for part in parts if part)


def _named(pattern: "StrOrPromise", field: str) -> Callable[[dict[str, str]], str]:
    return lambda said: str(pattern).format(said[field]) if said.get(field) else ""


def _took(said: dict[str, str]) -> str:
    took = span_ms(said.get("took"))
    return "" if took is None else _("after %(seconds)s s") % {"seconds": figure(took.total_seconds(), 1)}


def _due(said: dict[str, str]) -> str:
    at, due = from_ms(said.get("at")), from_ms(said.get("due"))
    return _("in %(seconds)s s") % {"seconds": figure((due - at).total_seconds())} if at and due else ""


PARTS: dict[str, tuple[Callable[[dict[str, str]], str], ...]] = {
    "enqueued": (_named(gettext_lazy("by {}"), "from"),),
    "created": (_named(gettext_lazy("by {}"), "from"),),
    "taken": (_named(gettext_lazy("by {}"), "worker"), _named(gettext_lazy("attempt {}"), "attempt")),
    "lock acquired": (_named("{}", "resource"), _named(gettext_lazy("fencing token {}"), "token")),
    "parked": (_named(gettext_lazy("waits for {}"), "resource"), _named(gettext_lazy("held by {}"), "holder")),
    "failed": (_named(gettext_lazy("attempt {}"), "attempt"), _named("{}", "error")),
    "retry due": (_due,),
    "finished": (_took,),
    "cache written": (_named("{}", "key"),),
    "cache refused": (_named("{}", "key"), _named("{}", "why")),
    "crashed": (_named("{}", "text"),),
    "reclaimed": (_named(gettext_lazy("from {}"), "worker"),),
    "returned": (_named(gettext_lazy("by {}"), "worker"),),
    "replaced": (_named(gettext_lazy("by {}"), "from"),),
    "gave way": (_named(gettext_lazy("to {}"), "to"),),
    "dead": (_named("{}", "text"),),
    "stopped": (_named("{}", "text"),),
    "retried by hand": (_named(gettext_lazy("by {}"), "by"),),
    "stop asked": (_named(gettext_lazy("by {}"), "by"), _named(gettext_lazy("of worker {}"), "worker")),
    "discarded": (_named(gettext_lazy("by {}"), "by"),),
    "restored": (_named(gettext_lazy("by {}"), "by"),),
    "edited from": (_named(gettext_lazy("job {}"), "job"), _named(gettext_lazy("by {}"), "by")),
    "edited as": (_named(gettext_lazy("job {}"), "job"), _named(gettext_lazy("by {}"), "by")),
    "released by hand": (_named("{}", "resource"), _named(gettext_lazy("by {}"), "by"), _named("“{}”", "reason")),
}
