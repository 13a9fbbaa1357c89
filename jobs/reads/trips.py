"""A round trip to Redis: questions are asked one by one, sent together, and each has its own answer."""

from dataclasses import dataclass
from typing import Any

from redis import Redis
from redis.exceptions import ResponseError

from jobs.connection import store
from jobs.names import sent


@dataclass(slots=True)
class Answer:
    """What came back for one question: None until the trip is made, and where the key holds another type.

    `refusal`: what the server said instead, by its access rules or in its state, or because it is too old; only a
    question that may be refused survives it.
    """

    value: Any = None
    may_be_refused: bool = False
    refusal: ResponseError | None = None


class Trip:
    """The questions of one round trip: reads only, without MULTI."""

    def __init__(self, client: Redis | None = None) -> None:
        self._pipeline = (client or store()).pipeline(transaction=False)
        self._answers: list[Answer] = []

    @property
    def asks_something(self) -> bool:
        """Whether it costs a round trip at all."""
        return bool(self._answers)

    def ask(self, command: str, *arguments: Any, **options: Any) -> Answer:
        """Add redis-py's `command` to the trip and return where its answer will lie."""
        as_sent = (sent(each) if isinstance(each, str) else each for each in arguments)
        getattr(self._pipeline, command)(*as_sent, **options)
        answer = Answer()
        self._answers.append(answer)
        return answer

    def ask_if_allowed(self, command: str, *arguments: Any, **options: Any) -> Answer:
        """Do as `ask` does with what the server may refuse to this user, or for a while, or may not know."""
        answer = self.ask(command, *arguments, **options)
        answer.may_be_refused = True
        return answer

    def go(self) -> None:
        """Make the trip; one that asks nothing costs none.

        Raises a member of `jobs.connection.StoreAway` when the server is away. A key of another type answers None.
        """
        if not self.asks_something:
            return
        for answer, value in zip(self._answers, self._pipeline.execute(raise_on_error=False), strict=True):
            refused = isinstance(value, ResponseError) and not str(value).startswith("WRONGTYPE")
            if refused and not answer.may_be_refused:
                raise value
            answer.refusal = value if refused else None
            answer.value = None if isinstance(value, Exception) else value
