"""Enqueue a registered job by hand: choose it, fill in its arguments, and go to the new job's page."""

from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dashboard import audit, toasts
from dashboard.access import requires
from dashboard.answers import SeeOther
from dashboard.htmx import DashboardRequest, render_frame
from dashboard.job_forms import draw_fields, keep_typed, new_job_id, read_arguments
from jobs import enqueueing
from jobs.arguments import InvalidArguments
from jobs.registry import CoordinatedJob, UnknownJob, find_job, list_jobs

LONGEST_DELAY = timedelta(days=365)
NOW = timedelta(0)


@require_http_methods(["GET", "HEAD", "POST"])
@requires("enqueue_job")
def enqueue(request: DashboardRequest) -> HttpResponse:
    name = request.POST.get("job") or request.GET.get("job", "")
    try:
        job = find_job(name) if name else None
    except UnknownJob:
        return _draw(request, None, problem=_("No job is called %(name)s.") % {"name": name[:200]})
    if job is None or request.method != "POST":
        return _draw(request, job)
    return _enqueue(request, job)


def _enqueue(request: DashboardRequest, job: CoordinatedJob[..., Any]) -> HttpResponse:
    delay, problem = _read_delay(request.POST.get("delay", ""))
    try:
        arguments = read_arguments(job, draw_fields(job, {}), request.POST.dict(), {})
    except InvalidArguments as error:
        return _draw(request, job, problems=error.problems, delay_problem=problem)
    if problem:
        return _draw(request, job, delay_problem=problem)
    new_id = new_job_id(request)
    enqueued = enqueueing.enqueue(job, job.bind((), arguments), delay=delay, job_id=new_id)
    audit.record(request, "enqueue_job", target=job.name, detail=enqueued.job_id)
    is_new = enqueued.job_id == new_id
    toasts.succeed(request, _("The job is enqueued.") if is_new else _("An equal call waits already: this job."))
    return SeeOther(reverse("mandor:job", args=[enqueued.job_id]))


def _draw(
    request: DashboardRequest,
    job: CoordinatedJob[..., Any] | None,
    *,
    problem: str = "",
    problems: dict[str, str] | None = None,
    delay_problem: str = "",
) -> HttpResponse:
    fields = draw_fields(job, {}) if job else []
    if request.method == "POST":
        fields = keep_typed(fields, request.POST.dict(), problems or {})
    context = {
        "names": [each.name for each in list_jobs()],
        "chosen": job.name if job else "",
        "queue": job.queue if job else "",
        "fields": fields,
        "new_id": new_job_id(request),
        "delay": request.POST.get("delay", ""),
        "delay_problem": delay_problem,
        "problem": problem,
    }
    wrong = bool(problem or problems or delay_problem)
    return render_frame(request, "mandor/jobs/enqueue.html", context, status=422 if wrong else 200)


def _read_delay(typed: str) -> tuple[timedelta, str]:
    try:
        delay = timedelta(seconds=float(typed or 0))
    except (ValueError, OverflowError):
        return NOW, _("It must be a number of seconds.")
    if NOW <= delay <= LONGEST_DELAY:
        return delay, ""
    return NOW, _("It must be between no seconds and a year.")
