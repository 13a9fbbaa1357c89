"""What a worker may run: registered jobs, and what `MANDOR["ALLOW"]` names. Else a queue is a remote shell."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from rq.serializers import Serializer
from rq.utils import import_attribute

from jobs.claims import Claim
from jobs.conf import conf
from jobs.registry import CoordinatedJob, UnknownJob, find_job

CALLBACKS = ("success_callback_name", "failure_callback_name", "stopped_callback_name")


class NotPermitted(Exception):
    """A job that may not run here; the message says which setting would let it."""


@dataclass(frozen=True, slots=True)
class Call:
    """A permitted call: the function, its arguments, and its registration if it has one."""

    name: str
    function: Callable[..., Any]
    args: list[Any]
    kwargs: dict[str, Any]
    job: CoordinatedJob[..., Any] | None


def permit(claim: Claim, serializer: Serializer) -> Call:
    """Return the call that a claimed job asks for.

    Nothing is imported before its name is permitted, and a payload that the queue's serializer does not write is not
    decoded by another. Raises NotPermitted.
    """
    name, instance, args, kwargs = _decode(claim, serializer)
    for callback in filter(None, map(claim.text, CALLBACKS)):
        _check_allowed(callback)
    try:
        job = find_job(name)
    except UnknownJob:
        return Call(name, _allowed(name, instance), args, kwargs, job=None)
    return Call(name, job.function, args, kwargs, job=job)


def _decode(claim: Claim, serializer: Serializer) -> tuple[str, Any, list[Any], dict[str, Any]]:
    data = claim.record.get("data", b"")
    try:
        raw = zlib.decompress(data)
    except zlib.error:
        raw = data
    try:
        name, instance, args, kwargs = serializer.loads(raw)
        return str(name), instance, list(args), dict(kwargs)
    except Exception as error:  # noqa: BLE001  a serializer may raise anything on what it did not write
        message = (
            f"Its payload cannot be read with the serializer of queue {claim.queue} ({type(error).__name__}). "
            f'If it comes from a client you trust, name its serializer in RQ_QUEUES["{claim.queue}"]["SERIALIZER"], '
            'for instance "pickle".'
        )
        raise NotPermitted(message) from None


def _check_allowed(name: str) -> None:
    if not any(fnmatchcase(name, pattern) for pattern in conf().ALLOW):
        message = (
            f"{name} is not allowed to run here. Register it with @coordinated, "
            f'or name it in MANDOR["ALLOW"], for instance ("{name}",).'
        )
        raise NotPermitted(message)


def _allowed(name: str, instance: Any) -> Callable[..., Any]:
    _check_allowed(name)
    try:
        function: Callable[..., Any] = getattr(instance, name) if instance else import_attribute(name)
    except Exception as error:  # noqa: BLE001  an import runs somebody's code
        message = f"{name} cannot be imported on this worker ({type(error).__name__}: {error})."
        raise NotPermitted(message) from None
    return function
