"""A job as a person saw it: what an action is judged against, so that a page that is out of date changes nothing."""

import hashlib
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

TOKEN_LENGTH = 12
PARTS = 3


class NotDone(Exception):
    """Nothing was changed; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class SeenJob:
    """A job's id and queue, exactly as Redis has them, and the token of its state; an empty one is any state."""

    job_id: str
    queue: str
    token: str = ""

    def __str__(self) -> str:
        """Return it as a form carries it: short, printable and exact, whatever is in the names."""
        return ":".join((self.token, _quoted(self.queue), _quoted(self.job_id)))


def read_seen(text: str) -> SeenJob | None:
    """Return the job that `str()` wrote; None for any other text."""
    parts = text.split(":")
    if len(parts) != PARTS or len(parts[0]) not in (0, TOKEN_LENGTH) or not parts[2]:
        return None
    return SeenJob(_unquoted(parts[2]), _unquoted(parts[1]), parts[0])


def seen_token(status: bytes | None, marker: bytes | None, died: bytes | None, ended: bytes | None) -> str:
    """Return what stands for a job's state, from `status`, `m_state`, `m_died` and `ended_at` of its record.

    The piece `_seen` of the scripts makes the same. To people a parked job is a waiting one.
    """
    state = (b"queued", b"") if marker == b"parked" else (status or b"", marker or b"")
    moment = ended if died is None else died
    return hashlib.sha1(b"|".join((*state, moment or b"")), usedforsecurity=False).hexdigest()[:TOKEN_LENGTH]


def _quoted(name: str) -> str:
    return quote(name, safe="", errors="surrogateescape")


def _unquoted(text: str) -> str:
    return unquote_to_bytes(text).decode("utf-8", "surrogateescape")
