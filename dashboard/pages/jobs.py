"""The jobs: lists by state, each one's own page, and the retry of a dead letter."""

from dataclasses import replace

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from dashboard import audit
from dashboard.access import can, requires
from dashboard.answers import go_back
from dashboard.htmx import DashboardRequest, render_page
from dashboard.job_filters import read_job_filter
from dashboard.paging import build_page
from jobs.reads import job as job_reads
from jobs.reads import jobs as jobs_reads
from jobs.retries import NotRetried, retry_job

TABS = {
    "waiting": ("Waiting", "Waits"),
    "in_flight": ("In flight", "Runs for"),
    "scheduled": ("Scheduled", "Runs in"),
    "retrying": ("Retrying", "Runs in"),
    "finished": ("Finished", "Finished"),
    "dead": ("Dead letters", "Died"),
    "stopped": ("Stopped", "Stopped"),
    "deferred": ("Deferred", "Waits"),
    "canceled": ("Canceled", "Canceled"),
}
"""Each state's word, and what its jobs' time means."""

LONGEST_NAME = 500


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    sought = request.GET.get("q", "").strip()[:LONGEST_NAME]
    if sought:
        return _go_to(request, sought)
    wanted = replace(read_job_filter(request), state=_read_state(request))
    listed = jobs_reads.list_jobs(wanted)
    context = {
        "jobs": listed,
        "filter": wanted,
        "tabs": [(state, word, listed.counts[state]) for state, (word, _) in TABS.items()],
        "when": TABS[wanted.state][1],
        "can_retry": can(request.user, "retry_job"),
        "page": build_page(request, total=listed.matches, has_next=listed.page < listed.pages),
    }
    return render_page(request, "mandor/jobs/index.html", "mandor/jobs/_list.html", context)


@require_safe
@requires("view")
def show(request: DashboardRequest, job_id: str) -> HttpResponse:
    detail = job_reads.find_job(job_id)
    if detail is None:
        message = f"Nothing is known of a job {job_id}. Its record ends some time after the job, or it never was."
        raise Http404(message)
    context = {"detail": detail, "job": detail.row, "can_retry": can(request.user, "retry_job")}
    return render_page(request, "mandor/jobs/show.html", "mandor/jobs/_job.html", context)


@require_POST
@requires("retry_job")
def retry(request: DashboardRequest, job_id: str) -> HttpResponse:
    try:
        retry_job(job_id, by=request.user.get_username(), died=request.POST.get("died", ""))
    except NotRetried as refusal:
        audit.record(request, "retry_job", target=job_id, outcome="skipped", detail=str(refusal))
        messages.warning(request, str(refusal))
    else:
        audit.record(request, "retry_job", target=job_id)
        messages.success(request, f"Job {job_id} is back on its queue, with all its attempts before it.")
    return go_back(request, "mandor:dead-letters")


def _go_to(request: DashboardRequest, name: str) -> HttpResponse:
    jump = jobs_reads.look_up(name)
    if jump is None:
        messages.warning(request, f"No job has the id “{name}”, and no lock of that name is held.")
        return redirect("mandor:jobs")
    if jump.kind == "lock":
        return redirect(f"{reverse('mandor:lock')}?{urlencode({'resource': name})}")
    return redirect("mandor:job", job_id=name)


def _read_state(request: DashboardRequest) -> str:
    asked = request.GET.get("state", "")
    return asked if asked in TABS else "in_flight"
