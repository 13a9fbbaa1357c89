"""Fields of the records that a list or a set names, read together with it in one command, wherever that is allowed."""

import math
import time
from typing import Any, Literal
from weakref import WeakKeyDictionary, WeakSet

from redis import ConnectionPool, Redis
from redis.exceptions import NoPermissionError, ResponseError

from jobs.connection import store
from jobs.names import decoded
from jobs.reads.trips import Answer, Trip

PART = 500
"""Of so many the server tells at once, in less than 2 ms."""

REFUSED_FOR_S = 10.0

_read_only: WeakSet[ConnectionPool] = WeakSet()
"""Where SORT was refused, which the server takes for a write: it is full, or a replica. SORT_RO is asked there, which
servers before Redis 7 do not know.
"""

_refused_until: WeakKeyDictionary[ConnectionPool, float] = WeakKeyDictionary()
"""Where neither is allowed: for a while, or for ever by access rules, which must let the user read all keys for it."""


class RecordsQuestion:
    """The question for `fields` of the records that the first members of `key` name: put one for the `*` of `record`.

    It is asked on one trip. Where it may not be asked, it takes two, the first for the members themselves.
    """

    def __init__(
        self,
        key: str,
        record: str,
        fields: tuple[str, ...],
        *,
        kind: Literal["list", "zset", "set"],
        newest_first: bool = False,
        client: Redis | None = None,
    ) -> None:
        self._key, self._record, self._fields = key, record, fields
        self._kind, self._newest_first = kind, newest_first
        self._client = client or store()
        self._pool = self._client.connection_pool
        self._command = "SORT_RO" if self._pool in _read_only else "SORT"
        self._most = 0
        self._parts: list[Answer] = []
        self._members: Answer | None = None
        self._each: list[Answer] = []

    @property
    def _is_refused(self) -> bool:
        return time.monotonic() < _refused_until.get(self._pool, -math.inf)

    def ask_members(self, trip: Trip, most: int) -> None:
        """Ask for the first `most` members on a trip before, where they are needed."""
        if self._is_refused:
            self._ask_members(trip, most)

    def ask(self, trip: Trip, most: int) -> None:
        """Ask for the fields of the first `most`."""
        self._most = most
        if self._members:
            self._ask_each(trip)
        elif not self._is_refused:
            self._parts = [
                trip.ask_if_allowed("execute_command", *self._words(start, min(PART, most - start)))
                for start in range(0, most, PART)
            ]

    def answer(self) -> list[tuple[Any, ...]]:
        """Return each member with its record's fields, None for what is not there, once the trip is made.

        It makes two more where the members were needed and not asked for.
        """
        for part in self._parts:
            if part.refusal:
                self._learn(part.refusal)
        if self._most and not self._members and (not self._parts or any(part.refusal for part in self._parts)):
            self._ask_on_own_trips()
        if not self._members:
            width = 1 + len(self._fields)
            return [row for part in self._parts for row in zip(*[iter(part.value or ())] * width, strict=True)]
        nothing = (None,) * len(self._fields)
        each = zip(self._first_members(), self._each, strict=True)
        return [(member, *(record.value or nothing)) for member, record in each]

    def _words(self, start: int, count: int) -> list[Any]:
        wanted = ("#", *(f"{self._record}->{field}" for field in self._fields))
        order = ["DESC"] if self._newest_first else []
        get = [word for each in wanted for word in ("GET", each)]
        return [self._command, self._key, "BY", "nosort", "LIMIT", start, count, *get, *order]

    def _learn(self, refusal: ResponseError) -> None:
        if self._command == "SORT":
            _read_only.add(self._pool)
        else:
            _read_only.discard(self._pool)
            for_ever = isinstance(refusal, NoPermissionError) or " denied " in str(refusal)
            _refused_until[self._pool] = math.inf if for_ever else time.monotonic() + REFUSED_FOR_S

    def _ask_members(self, trip: Trip, most: int) -> None:
        if self._kind == "list":
            self._members = trip.ask("lrange", self._key, 0, most - 1)
        elif self._kind == "zset":
            self._members = trip.ask("zrange", self._key, 0, most - 1, desc=self._newest_first)
        else:
            self._members = trip.ask("smembers", self._key)

    def _ask_each(self, trip: Trip) -> None:
        records = (self._record.replace("*", decoded(member), 1) for member in self._first_members())
        self._each = [trip.ask("hmget", record, *self._fields) for record in records]

    def _ask_on_own_trips(self) -> None:
        first, second = Trip(self._client), Trip(self._client)
        self._ask_members(first, self._most)
        first.go()
        self._ask_each(second)
        second.go()

    def _first_members(self) -> list[bytes]:
        value = (self._members.value if self._members else None) or ()
        return (sorted(value) if self._kind == "set" else list(value))[: self._most]
