"""How many locks are held, and how many of them are stuck, told from the index without reading each."""

from datetime import datetime

from jobs import keys
from jobs.names import decoded
from jobs.reads.fields import number
from jobs.reads.tallies import Tally, at_most
from jobs.reads.trips import Answer, Trip

MOST = 200


class LockCountsQuestion:
    """The questions about all locks, asked on two trips: what the index names, then which of these are still held.

    The index may name a lock that has lapsed. Among the MOST nearest to being stuck these are not counted.
    """

    def __init__(self) -> None:
        self._past, self._held_stuck, self._held_others = Answer(), Answer(), Answer()

    def ask_index(self, trip: Trip) -> None:
        self._size = trip.ask("zcard", keys.LOCKS)
        self._head = trip.ask("zrange", keys.LOCKS, 0, MOST - 1, withscores=True)

    def ask_standing(self, trip: Trip, now: datetime) -> None:
        """Ask which of the nearest are held, one question however many they are. `now` is the server's time."""
        now_ms = now.timestamp() * 1000
        head = self._head.value or ()
        self.overdue = [decoded(name) for name, score in head if score <= now_ms]
        self.others = [decoded(name) for name, score in head if score > now_ms]
        self._past = trip.ask("zcount", keys.LOCKS, 0, now_ms)
        if self.overdue:
            self._held_stuck = trip.ask("exists", *map(keys.lock, self.overdue))
        if self.others:
            self._held_others = trip.ask("exists", *map(keys.lock, self.others))

    @property
    def size(self) -> int:
        """How many locks the index names."""
        return number(self._size.value)

    @property
    def held(self) -> Tally:
        lapsed = self._lapsed_stuck + len(self.others) - number(self._held_others.value)
        return at_most(max(self.size - lapsed, 0), exact=self.size <= MOST)

    @property
    def stuck(self) -> Tally:
        past = number(self._past.value)
        return at_most(max(past - self._lapsed_stuck, 0), exact=past <= MOST)

    @property
    def _lapsed_stuck(self) -> int:
        return len(self.overdue) - number(self._held_stuck.value)
