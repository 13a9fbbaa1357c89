"""What a job calls and with what, as far as that can be told without unpickling."""

import re
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from jobs import keys
from jobs.payloads import read_payload
from jobs.reads.fields import line, number
from jobs.reads.figures import figure
from jobs.reads.trips import Answer, Trip

LONGEST = 32_768
"""Bytes of a compressed payload that are fetched. Ours have 4 KiB of JSON at most, others may be of any size."""

CALL = re.compile(r"([\w.<>]+)\((.*)\)?", re.DOTALL)
QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class JobPayload:
    """The function's path and its arguments as text, masked; `problem` says in words why something is missing."""

    function: str
    arguments: str
    problem: str


class PayloadQuestion:
    """The questions about one job's payload, asked on two trips: how long it is, and then what it is; each once."""

    def __init__(self, job_id: str) -> None:
        self._job = keys.job(job_id)
        self._length: Answer | None = None
        self._data: Answer | None = None

    @property
    def _bytes(self) -> int:
        return number(self._length.value) if self._length else 0

    def ask_length(self, trip: Trip) -> None:
        if self._length is None:
            self._length = trip.ask("hstrlen", self._job, "data")

    def ask_data(self, trip: Trip) -> None:
        if self._data is None and 0 < self._bytes <= LONGEST:
            self._data = trip.ask("hget", self._job, "data")

    def answer(self, *, name: str, description: Any) -> JobPayload:
        """Return the payload; where it cannot be read, what RQ's description says, quoted strings masked."""
        function, arguments = read_description(line(description, 1000))
        if self._bytes > LONGEST:
            problem = _("Its payload of %(size)s bytes is too long to show") % {"size": figure(self._bytes)}
            return JobPayload(name or function, "", problem)
        payload = read_payload(self._data.value if self._data else None)
        if payload.problem:
            return JobPayload(payload.function or name or function, payload.arguments or arguments, payload.problem)
        return JobPayload(payload.function, payload.arguments, "")


def ask_name(trip: Trip, job_id: str) -> Answer:
    """Ask for what names a job's function."""
    return trip.ask("hmget", keys.job(job_id), "m_name", "description")


def read_name(answer: Answer) -> str:
    """Return the function that `ask_name` found; empty for none."""
    if not answer.value:
        return ""
    name, description = answer.value
    return line(name) or read_description(line(description))[0]


def read_description(text: str) -> tuple[str, str]:
    """Return the function and the arguments that RQ's description of a call names, every quoted string masked."""
    call = CALL.fullmatch(text)
    if call is None:
        return "", QUOTED.sub("'…'", text)
    return call[1], QUOTED.sub("'…'", call[2].removesuffix(")"))
