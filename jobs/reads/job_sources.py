"""Where the jobs of a state lie: on a queue's list and in its registries, read window by window."""

from collections.abc import Callable
from dataclasses import dataclass

from jobs import keys
from jobs.names import decoded, exact
from jobs.reads import states
from jobs.reads.fields import number, scored
from jobs.reads.job_rows import Found
from jobs.reads.trips import Answer, Trip


@dataclass(frozen=True, slots=True)
class Source:
    """A list or a sorted set of a queue, and which of the jobs in it belong to a state.

    A shared source holds other states too, and a job's record tells which. What no record accounts for is the state's
    own where `keeps_rest`, so that nothing is ever on no list.
    """

    key: Callable[[str], str]
    is_list: bool = False
    newest_first: bool = False
    expires: bool = False
    shared: bool = False
    keeps_rest: bool = False

    def takes(self, actual: str, wanted: str) -> bool:
        """Return whether a job whose record says `actual` is shown among the `wanted`."""
        if not self.shared:
            return True
        return actual == wanted or (self.keeps_rest and actual not in SHARED_WITH[wanted])


SCHEDULE = Source(keys.scheduled, shared=True)
SHARED_WITH = {
    states.SCHEDULED: (states.RETRYING, states.WAITING),
    states.DEAD: (states.STOPPED,),
}
SOURCES = {
    states.WAITING: (Source(keys.queue, is_list=True), SCHEDULE, Source(keys.parked)),
    states.IN_FLIGHT: (Source(keys.started),),
    states.SCHEDULED: (Source(keys.scheduled, shared=True, keeps_rest=True),),
    states.RETRYING: (SCHEDULE,),
    states.FINISHED: (Source(keys.finished, newest_first=True, expires=True),),
    states.DEAD: (Source(keys.failed, newest_first=True, expires=True, shared=True, keeps_rest=True),),
    states.STOPPED: (Source(keys.failed, newest_first=True, expires=True, shared=True),),
    states.DEFERRED: (Source(keys.deferred),),
    states.CANCELED: (Source(keys.canceled, newest_first=True),),
    states.DISCARDED: (Source(keys.bin_of, newest_first=True, expires=True),),
}


class SourceQuestion:
    """The question for one window of a queue's source, asked on one trip."""

    def __init__(self, source: Source, queue: str, state: str) -> None:
        self.source = source
        self.queue = queue
        self._state = state

    def ask(self, trip: Trip, start: int, span: int, *, as_of: float | None = None) -> None:
        """Ask for `span` entries from `start` on, and how many there are.

        Of a list that grows at its top only those up to the score `as_of` count, so that it stands still, and what came
        since is counted.
        """
        key, end = self.source.key(exact(self.queue)), start + span - 1
        self._end, self._newer = end, Answer(0)
        if self.source.is_list:
            self._length = trip.ask("llen", key)
            self._entries: Answer = trip.ask("lrange", key, start, end)
            return
        self._length = trip.ask("zcard", key)
        if as_of is None or not self.source.newest_first:
            self._entries = trip.ask("zrange", key, start, end, desc=self.source.newest_first, withscores=True)
            return
        self._newer = trip.ask("zcount", key, f"({as_of!r}", "+inf")
        self._entries = trip.ask(
            "zrange", key, as_of, "-inf", desc=True, byscore=True, offset=start, num=span, withscores=True
        )

    @property
    def newer(self) -> int:
        """How many entries came since the list was drawn."""
        return number(self._newer.value)

    @property
    def length(self) -> int:
        return number(self._length.value) - self.newer

    @property
    def top(self) -> float | None:
        """The score of the newest entry of a list that grows at its top; None for any other list."""
        if not self.source.newest_first or not self._entries.value:
            return None
        return float(self._entries.value[0][1])

    @property
    def more(self) -> bool:
        """Whether there are entries after this window."""
        return self.length > self._end + 1

    def entries(self, now: float) -> list[Found]:
        """Return what the window holds; `now`, in seconds, leaves out what expired but was not removed yet."""
        if self.source.is_list:
            return [Found(decoded(job_id), self.queue, self._state) for job_id in self._entries.value or ()]
        return [
            self._found(decoded(member), score)
            for member, score in scored(self._entries.value)
            if score >= now or not self.source.expires
        ]

    def _found(self, member: str, score: float) -> Found:
        if self._state != states.IN_FLIGHT:
            return Found(member, self.queue, self._state, score)
        job_id, colon, execution = member.rpartition(":")
        return Found(job_id if colon else member, self.queue, self._state, score, execution if colon else "")
