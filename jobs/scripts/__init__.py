"""The Lua scripts, one operation each, and the one function that runs them.

`-- include _name` on a line of its own pastes a shared piece (`_name.lua`), so that what two operations have in common
is written once and each still is a single atomic script. The piece `_keys` is made from `jobs.keys.PREFIXES`: a local
`prefix` for the keys whose last part only the script learns, from an id it pops.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import AbstractConnection
from redis.exceptions import NoScriptError
from redis.retry import Retry

from jobs.keys import PREFIXES

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


def run(client: Redis, name: str, keys: list[str], args: list[Any]) -> Any:
    """Run the script `name` in one round trip; a server that lost its script cache is taught it again.

    Every script may be repeated when its answer is lost, so it is, once, also by a client that retries nothing else.
    Speaks to a pooled connection directly: half of a call's time would otherwise be spent in the client's general path
    for commands.
    """
    pool = client.connection_pool
    connection = pool.get_connection()
    try:
        retry = connection.retry if connection.retry.get_retries() else ONCE_MORE
        return retry.call_with_retry(
            lambda: _speak(connection, name, keys, args),
            lambda _error: connection.disconnect(),  # type: ignore[no-untyped-call]
        )
    finally:
        pool.release(connection)


def _speak(connection: AbstractConnection, name: str, keys: list[str], args: list[Any]) -> Any:
    try:
        connection.send_command("EVALSHA", _digest(name), len(keys), *keys, *args)  # type: ignore[no-untyped-call]
        return connection.read_response()
    except NoScriptError:
        connection.send_command("EVAL", source(name), len(keys), *keys, *args)  # type: ignore[no-untyped-call]
        return connection.read_response()
