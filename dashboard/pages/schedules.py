"""What runs by the clock: cron jobs and scheduled jobs, and their run now by hand."""

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dashboard import audit, toasts
from dashboard.access import can, requires
from dashboard.answers import go_back
from dashboard.htmx import DashboardRequest, render_page
from dashboard.job_filters import read_job_filter
from dashboard.paging import build_page
from jobs.arguments import InvalidArguments
from jobs.names import exact
from jobs.reads import schedules as schedule_reads
from jobs.reads.cron_records import find_call
from jobs.reads.fields import from_ms
from jobs.registry import UnknownJob
from jobs.schedules import AboutToRun, NotRun, RateLimited, Rescheduled, run_cron, run_scheduled

LONGEST_NUMBER = 15


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    wanted = read_job_filter(request)
    found = schedule_reads.list_schedules(page=wanted.page, start=wanted.start)
    context = {
        "cron": found.cron,
        "jobs": found.jobs,
        "filter": found.jobs.filter,
        "still": request.GET,
        "page": build_page(request, total=found.jobs.matches, has_next=found.jobs.page < found.jobs.pages),
        "can_run": can(request.user, "enqueue_job"),
    }
    return render_page(request, "mandor/schedules/index.html", "mandor/schedules/_list.html", context)


@require_POST
@requires("enqueue_job", deed="run_schedule")
def run(request: DashboardRequest, name: str) -> HttpResponse:
    run_one = _run_cron if "scheduler" in request.POST else _run_scheduled
    try:
        detail, message, job_id = run_one(request, name)
    except (NotRun, UnknownJob, InvalidArguments, TypeError) as refusal:
        say = partial(_say_why, refusal)
        audit.record(request, "run_schedule", target=name, outcome="skipped", detail=audit.in_english(say))
        messages.warning(request, say())
    else:
        audit.record(request, "run_schedule", target=name, detail=detail)
        toasts.succeed(request, message, view=reverse("mandor:job", args=[job_id]))
    return go_back(request, "mandor:schedules")


def _run_scheduled(request: DashboardRequest, name: str) -> tuple[str, str, str]:
    due = from_ms(_read_number(request, "due"))
    if due is None:
        raise Http404
    run_scheduled(exact(name), by=request.user.get_username(), due=due)
    return "", _("Job %(name)s is on its queue now.") % {"name": name}, name


def _run_cron(request: DashboardRequest, name: str) -> tuple[str, str, str]:
    call = find_call(request.POST["scheduler"], _read_number(request, "place"), name)
    if call is None:
        raise Rescheduled(name)
    last, by = from_ms(_read_number(request, "last")), request.user.get_username()
    job_id = run_cron(exact(name), call.function, call.keyword, by=by, last=last)
    message = _("%(name)s is on its queue now, as job %(job)s.") % {"name": name, "job": job_id}
    return f"as {job_id}", message, job_id


def _read_number(request: DashboardRequest, field: str) -> int:
    given = request.POST.get(field, "")
    return int(given) if given.isdecimal() and len(given) < LONGEST_NUMBER else 0


def _say_why(refusal: Exception) -> str:
    match refusal:
        case Rescheduled():
            return _("It ran, or was given another time, since this page was drawn. Nothing was changed.")
        case RateLimited():
            return _("This job has a rate limit, which only RQ's own scheduler minds. Nothing was changed.")
        case AboutToRun():
            return _("This job is due, and RQ's own scheduler is about to run it. Nothing was changed.")
        case NotRun():
            return _("This job is not scheduled any more: it was run, or its time came. Nothing was changed.")
    return str(refusal)
