"""The HTTP API: programs enqueue registered jobs with a user's token."""

from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from ninja import Field, NinjaAPI, Schema
from ninja.errors import ValidationError
from ninja.responses import Status
from ninja.security import HttpBearer

from dashboard import audit
from dashboard.access import can
from dashboard.tokens import find_user
from jobs.arguments import InvalidArguments
from jobs.connection import StoreAway
from jobs.enqueueing import Enqueued, enqueue_job
from jobs.registry import UnknownJob

PERMISSION = "enqueue_job"
AWAY = "Redis does not answer. The job may be on its queue all the same; look before you repeat the call."
PRINTABLE = r"^[^\x00-\x1f]+$"


class Call(Schema):
    """What to run: a registered job by its public name, and its arguments by theirs."""

    job: str = Field(max_length=200, pattern=PRINTABLE, examples=["reports.jobs.build_report"])
    arguments: dict[str, Any] = Field(default_factory=dict, examples=[{"report_id": 42}])


class Accepted(Schema):
    """The id of the job that stands for the call, and its status: `queued`, or `scheduled` if it waits for a lock."""

    job_id: str
    status: str


class Problem(Schema):
    """What is wrong, in a sentence, and with which arguments or fields."""

    detail: str
    problems: dict[str, str] = Field(default_factory=dict)


class BearerToken(HttpBearer):
    """Lets a request speak for the user whose token it carries."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        user = find_user(token)
        if user:
            request.user = user
        return user


api = NinjaAPI(title="Mandor", version="1", urls_namespace="mandor-api", docs_url=None, auth=BearerToken())

PROBLEMS = dict.fromkeys((400, 401, 403, 404, 413, 422, 503), Problem)


@api.post("jobs", response={202: Accepted, **PROBLEMS}, summary="Enqueue a job")
def enqueue(request: HttpRequest, call: Call) -> Status[Enqueued] | Status[Problem]:
    """Put a call of a registered job on its queue and answer with its id, without waiting for it."""
    user = request.user
    if not can(user, PERMISSION):
        audit.record(request, PERMISSION, target=call.job, outcome="denied")
        return Status(403, Problem(detail=f"{user.get_username()} may not enqueue jobs."))
    try:
        with translation.override(None):
            enqueued = enqueue_job(call.job, call.arguments, endpoint=f"POST /api/jobs by {user.get_username()}")
    except UnknownJob as error:
        return _skip(request, call, 404, Problem(detail=str(error)))
    except InvalidArguments as error:
        return _skip(request, call, 422, Problem(detail=str(error), problems=error.problems))
    except StoreAway:
        return _skip(request, call, 503, Problem(detail=AWAY))
    audit.record(request, PERMISSION, target=call.job, detail=enqueued.job_id)
    return Status(202, enqueued)


def _skip(request: HttpRequest, call: Call, status: int, problem: Problem) -> Status[Problem]:
    audit.record(request, PERMISSION, target=call.job, outcome="skipped", detail=problem.detail)
    return Status(status, problem)


@api.exception_handler(ValidationError)
def refuse_body(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Answer 422 in the same form for a body that is no call."""
    problems = {".".join(str(part) for part in each["loc"][2:]) or "body": each["msg"] for each in error.errors}
    sentences = [f"{field}: {message}." for field, message in problems.items()]
    return api.create_response(request, {"detail": " ".join(sentences), "problems": problems}, status=422)


@api.exception_handler(RequestDataTooBig)
def refuse_size(request: HttpRequest, _: RequestDataTooBig) -> HttpResponse:
    """Answer 413 for a body above Django's `DATA_UPLOAD_MAX_MEMORY_SIZE`."""
    return api.create_response(request, {"detail": "The body is too large."}, status=413)
