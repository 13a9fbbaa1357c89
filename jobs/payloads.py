"""What a job calls and with what, told from the bytes RQ stores: JSON only, nothing is unpickled or imported."""

import json
import zlib
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from jobs.masking import mask

LARGEST = 65_536
"""Bytes of JSON that are looked at."""

FUNCTION_LENGTH = 200
ARGUMENTS_LENGTH = 1_000
PARTS = 4
PICKLED = b"\x80"


@dataclass(frozen=True, slots=True)
class Payload:
    """The function's path and its arguments as short masked text; `problem` is a sentence when they cannot be told."""

    function: str
    arguments: str
    problem: str


@dataclass(frozen=True, slots=True)
class Call:
    """The function's path and its arguments as they are: secrets are not masked."""

    function: str
    args: list[Any]
    kwargs: dict[str, Any]


class Unreadable(Exception):
    """Why a payload cannot be read, as a sentence."""


def read_payload(data: bytes | None, *, limit: int = ARGUMENTS_LENGTH) -> Payload:
    """Return what RQ's `data` field calls, its arguments in at most `limit` characters. Never raises.

    RQ writes a function's path, an instance, positional and keyword arguments, by its serializer, usually compressed.
    """
    try:
        call = decode_call(data)
    except Unreadable as error:
        return Payload("", "", str(error))
    return Payload(_shown(call.function, FUNCTION_LENGTH), _shown(_arguments(call.args, call.kwargs), limit), "")


def decode_call(data: bytes | None) -> Call:
    """Return the call that RQ's `data` field holds. Raises Unreadable for whatever is no JSON call of ours or RQ's."""
    return Call(*_decode(_inflate(data or b"")))


def _inflate(data: bytes) -> bytes:
    if not data:
        message = _("Its payload is missing.")
        raise Unreadable(message)
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(data, LARGEST + 1)
    except zlib.error:
        raw = data
    else:
        if not inflater.eof and len(raw) <= LARGEST:
            message = _("Its payload is cut off.")
            raise Unreadable(message)
    if len(raw) > LARGEST:
        message = _("Its payload is larger than %(size)s KiB and is not shown.") % {"size": LARGEST // 1024}
        raise Unreadable(message)
    return raw


def _decode(raw: bytes) -> tuple[str, list[Any], dict[str, Any]]:
    if raw.startswith(PICKLED):
        message = _("Its payload is pickled, and a pickle is never opened here.")
        raise Unreadable(message)
    try:
        parts = json.loads(raw)
    except (ValueError, RecursionError):
        message = _("Its payload is not JSON.")
        raise Unreadable(message) from None
    if (
        not isinstance(parts, list)
        or len(parts) != PARTS
        or not isinstance(parts[0], str)
        or not isinstance(parts[2], list)
        or not isinstance(parts[3], dict)
    ):
        message = _("Its payload is JSON, but not a call.")
        raise Unreadable(message)
    return parts[0], parts[2], parts[3]


def _arguments(args: list[Any], kwargs: dict[str, Any]) -> str:
    named = [f"{name}={_json(value)}" for name, value in mask(kwargs).items()]
    return ", ".join([*(_json(value) for value in mask(args)), *named])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _shown(text: str, limit: int) -> str:
    """Return `text` cut to `limit`, with what no font shows (controls, bidirectional overrides) as an escape."""
    visible = text[: limit + 1]
    if not visible.isprintable():
        visible = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in visible)
    return visible if len(visible) <= limit else visible[: limit - 1] + "…"
