"""What goes through the pipes between a worker and its horse: orders down; up, that one began, and its report."""

import base64
import json
import pickle
import struct
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from jobs.claims import Claim

HEADER = struct.Struct(">Q")

BEGAN = b"began"
"""The order arrived and its job begins: without this word, a horse that is gone has run nothing of it."""

LEAVING = b"leaving"
"""The horse takes no more orders."""


class Kind(StrEnum):
    """What a horse is to do with a job."""

    CALL = "call"
    RQ = "by RQ's own code"
    FAILURE_CALLBACK = "its failure callback"
    STOPPED_CALLBACK = "its stopped callback"


@dataclass(frozen=True, slots=True)
class Order:
    """A claimed job for a horse. `timeout` is in seconds, 0 or less for ever; `text` says how the attempt ended."""

    kind: Kind
    claim: Claim
    timeout: int = 0
    text: str = ""

    def written(self) -> bytes:
        return pickle.dumps(self)


def read_order(body: bytes) -> Order:
    """Return the order that a worker wrote."""
    order = pickle.loads(body)  # noqa: S301  written by the parent of this process
    assert isinstance(order, Order)  # noqa: S101  as the line above says
    return order


@dataclass(frozen=True, slots=True)
class Report:
    """What a horse tells its parent: a result, or an error with its traceback, or that the job asked for a retry."""

    done: bool
    result: str = ""
    value: str = ""
    error: str = ""
    traceback: str = ""
    timed_out: bool = False
    retry: dict[str, Any] | None = None

    @property
    def result_bytes(self) -> bytes | None:
        return base64.b64decode(self.result) if self.result else None

    def written(self) -> bytes:
        return json.dumps(asdict(self)).encode()


def read_report(body: bytes) -> Report:
    """Return the report that a horse wrote."""
    return Report(**json.loads(body))


def framed(body: bytes) -> bytes:
    """Return a message as it goes through a pipe: its length, then itself."""
    return HEADER.pack(len(body)) + body


class MessageReader:
    """Puts messages together from what a pipe gives, piece by piece."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the messages that this piece makes whole."""
        self._buffer += piece
        whole = []
        while len(self._buffer) >= HEADER.size:
            (length,) = HEADER.unpack_from(self._buffer)
            end = HEADER.size + length
            if len(self._buffer) < end:
                break
            whole.append(bytes(self._buffer[HEADER.size : end]))
            del self._buffer[:end]
        return whole
