"""The Lua scripts, one operation each, and the functions that run them.

`-- include _name` on a line of its own pastes a shared piece (`_name.lua`), so that what two operations have in common
is written once and each still is a single atomic script. The piece `_keys` is made from `jobs.prefixes`: a local
`prefix` for the keys whose last part only the script learns, from an id it pops.
"""

import hashlib
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from redis import ConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.connection import AbstractConnection
from redis.exceptions import NoScriptError, ResponseError
from redis.retry import Retry

from jobs.connection import StoreRefuses, is_refusal
from jobs.names import sent
from jobs.prefixes import PREFIXES

FOLDER = Path(__file__).parent
ONCE_MORE = Retry(NoBackoff(), 1)


@cache
def source(name: str) -> str:
    """Return the text of the script `name`, with its includes pasted in."""
    if name == "_keys":
        return f"local prefix = {{{', '.join(f'{name} = [[{key}]]' for name, key in PREFIXES.items())}}}"
    return "\n".join(_expand(line) for line in (FOLDER / f"{name}.lua").read_text().splitlines())


def _expand(line: str) -> str:
    marker, _, piece = line.partition("-- include ")
    return source(piece.strip()) if piece and not marker.strip() else line


@cache
def _digest(name: str) -> str:
    return hashlib.sha1(source(name).encode(), usedforsecurity=False).hexdigest()


class _Again:
    """See AGAIN."""


AGAIN = _Again()
"""An argument that reads 0 when a script is first sent, and 1 when it is sent again because its answer was lost."""


@dataclass(frozen=True, slots=True)
class Call:
    """One script to run, with its keys and arguments."""

    name: str
    keys: list[str]
    args: list[Any]


@dataclass(frozen=True, slots=True)
class Rest:
    """A pause in the server, until something is pushed onto `key`, for `within_s` at the most."""

    key: str
    within_s: float


def run(client: Redis, name: str, keys: list[str], args: list[Any], *, after: Rest | None = None) -> Any:
    """Run the script `name` in one round trip; a server that lost its script cache is taught it again.

    Every script may be repeated when its answer is lost, so it is, once, also by a client that retries nothing else.
    """
    call = Call(name, keys, args)
    answers = [checked(answer) for answer in run_all(client, [after, call] if after else [call])]
    return answers[-1]


def run_all(client: Redis, calls: Sequence[Call | Rest]) -> list[Any]:
    """Run scripts one after the other in one round trip, and return their answers in that order.

    Each is atomic by itself, and not held up by the one before: an answer may be a ResponseError. Repeated as `run` is.
    Raises one of StoreAway when there is no answer, or one that says that the server refuses everybody for a while.
    """
    connection = _own_connection(client.connection_pool)
    retry = connection.retry if connection.retry.get_retries() else ONCE_MORE
    times = count()
    return retry.call_with_retry(lambda: _speak(connection, calls, again=next(times) > 0), lambda _error: None)


def checked(answer: Any) -> Any:
    """Return one of `run_all`'s answers. Raises the error that it may be."""
    if isinstance(answer, ResponseError):
        raise answer
    return answer


def ask(client: Redis, *command: Any) -> Any:
    """Run one plain command, which may be repeated as a script may, on this thread's own connection.

    Returns what the server answers, undecoded.
    """
    connection = _own_connection(client.connection_pool)
    retry = connection.retry if connection.retry.get_retries() else ONCE_MORE
    return retry.call_with_retry(lambda: _ask(connection, command), lambda _error: None)


class _Own(threading.local):
    """A thread's connections, by process and pool: a forked child must not speak on its parent's."""

    def __init__(self) -> None:
        self.connections: dict[tuple[int, ConnectionPool], AbstractConnection] = {}


_own = _Own()


def _own_connection(pool: ConnectionPool) -> AbstractConnection:
    """Return a connection that is this thread's alone; it ends with the thread.

    Half of a call's time would otherwise be spent in the client's pool and its general path for commands.
    """
    key = (os.getpid(), pool)
    connection = _own.connections.get(key)
    if connection is None:
        connection = pool.connection_class(**pool.connection_kwargs)
        _own.connections[key] = connection
    return connection


def _ask(connection: AbstractConnection, command: tuple[Any, ...]) -> Any:
    try:
        connection.send_command(*command)  # type: ignore[no-untyped-call]
        return connection.read_response()
    except ResponseError:
        raise
    except BaseException:
        connection.disconnect()  # type: ignore[no-untyped-call]
        raise


def _speak(connection: AbstractConnection, calls: Sequence[Call | Rest], *, again: bool) -> list[Any]:
    """Send and read; whatever comes between leaves a connection without half an answer on it."""
    try:
        commands = [_command(call, again=again) for call in calls]
        connection.send_packed_command(connection.pack_commands(commands))  # type: ignore[no-untyped-call]
        answers = [_read_answer(connection) for _ in calls]
        for i, (call, answer) in enumerate(zip(calls, answers, strict=True)):
            if isinstance(answer, NoScriptError) and isinstance(call, Call):
                connection.send_command("EVAL", source(call.name), *_words(call, again=again))  # type: ignore[no-untyped-call]
                answers[i] = _read_answer(connection)
            if isinstance(answers[i], ResponseError) and is_refusal(answers[i]):
                raise StoreRefuses(str(answers[i]))  # noqa: TRY301  leaves the connection as any error does
    except BaseException:
        connection.disconnect()  # type: ignore[no-untyped-call]
        raise
    return answers


def _command(call: Call | Rest, *, again: bool) -> tuple[Any, ...]:
    if isinstance(call, Rest):
        return ("BLPOP", sent(call.key), f"{call.within_s:.3f}")
    return ("EVALSHA", _digest(call.name), *_words(call, again=again))


def _words(call: Call, *, again: bool) -> list[Any]:
    words = (*call.keys, *(int(again) if arg is AGAIN else arg for arg in call.args))
    return [len(call.keys), *(sent(word) if isinstance(word, str) else word for word in words)]


def _read_answer(connection: AbstractConnection) -> Any:
    try:
        return connection.read_response()
    except ResponseError as error:
        return error
