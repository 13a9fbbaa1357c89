"""A job's call as it can be edited: its registration and its arguments, or why there is nothing to edit."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from jobs import keys
from jobs.names import exact
from jobs.payloads import Unreadable, decode_call
from jobs.reads.fields import number
from jobs.reads.job_payloads import LONGEST
from jobs.reads.trips import Trip
from jobs.registry import CoordinatedJob, UnknownJob, find_job


@dataclass(frozen=True, slots=True)
class EditableCall:
    """The registered job and its arguments, secrets and all; without a job, `problem` says why."""

    job: CoordinatedJob[..., Any] | None
    arguments: dict[str, Any] = field(default_factory=dict)
    problem: str = ""


def find_call(job_id: str) -> EditableCall | None:
    """Return the call of the job with this id, as `names.written` writes it, in two round trips; None for no such job.

    Raises a member of `jobs.connection.StoreAway`.
    """
    key, trip = keys.job(exact(job_id)), Trip()
    there, length = trip.ask("exists", key), trip.ask("hstrlen", key, "data")
    trip.go()
    if not there.value:
        return None
    if number(length.value) > LONGEST:
        return EditableCall(None, problem=_("Its payload is too long to be edited here."))
    trip = Trip()
    data = trip.ask("hget", key, "data")
    trip.go()
    return _read(data.value)


def _read(data: bytes | None) -> EditableCall:
    try:
        call = decode_call(data)
        job = find_job(call.function)
    except Unreadable as error:
        return EditableCall(None, problem=_("%(why)s So it cannot be edited.") % {"why": error})
    except UnknownJob:
        why = _("%(function)s is not registered here, so its arguments cannot be checked.")
        return EditableCall(None, problem=why % {"function": call.function})
    if call.args:
        return EditableCall(None, problem=_("It was called with positional arguments, which a registered job has not."))
    return EditableCall(job, call.kwargs)
