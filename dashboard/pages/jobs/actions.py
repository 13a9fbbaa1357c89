"""What may be done to one job: retry, discard, restore, stop. Each is judged against what the person saw."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from dashboard import audit, toasts
from dashboard.access import requires
from dashboard.answers import go_back
from dashboard.filters import hours
from dashboard.htmx import DashboardRequest
from jobs.conf import conf
from jobs.discards import discard_job, restore_job
from jobs.names import exact
from jobs.retries import retry_job
from jobs.seen import NotDone, SeenJob, read_seen
from jobs.stops import stop_job


@require_POST
@requires("retry_job")
def retry(request: DashboardRequest, job_id: str) -> HttpResponse:
    job, by = _seen(request, job_id), request.user.get_username()
    if _done(request, "retry_job", job_id, lambda: retry_job(job, by=by)):
        text = _("The job is back on its queue, with all its attempts again.")
        toasts.succeed(request, text, view=reverse("mandor:job", args=[job_id]))
    return go_back(request, "mandor:dead-letters")


@require_POST
@requires("discard_job")
def discard(request: DashboardRequest, job_id: str) -> HttpResponse:
    job, by = _seen(request, job_id), request.user.get_username()
    dependents: list[int] = []
    if _done(request, "discard_job", job_id, lambda: dependents.append(discard_job(job, by=by))):
        told = _("The job is in the bin for %(kept)s.") % {"kept": hours(conf().BIN_TTL)}
        text = f"{told} {_tell_dependents(*dependents)}"
        undo = reverse("mandor:job-restore", args=[job_id])
        toasts.succeed(request, text, view=reverse("mandor:job", args=[job_id]), undo=undo, job=request.POST["job"])
    return go_back(request, "mandor:jobs")


@require_POST
@requires("discard_job", deed="restore_job")
def restore(request: DashboardRequest, job_id: str) -> HttpResponse:
    job, by = _seen(request, job_id), request.user.get_username()
    if _done(request, "restore_job", job_id, lambda: restore_job(job, by=by)):
        toasts.succeed(request, _("The job is back where it was."), view=reverse("mandor:job", args=[job_id]))
    return go_back(request, "mandor:jobs")


@require_POST
@requires("stop_job")
def stop(request: DashboardRequest, job_id: str) -> HttpResponse:
    job, by = _seen(request, job_id), request.user.get_username()
    execution = request.POST.get("execution", "")
    if _done(request, "stop_job", job_id, lambda: stop_job(job, execution=execution, by=by), detail=execution):
        text = _("Its worker was asked to stop the job; it ends within a second or so.")
        toasts.succeed(request, text, view=reverse("mandor:job", args=[job_id]))
    return go_back(request, "mandor:jobs")


def _tell_dependents(count: int) -> str:
    text = ngettext(
        "%(count)s job that depends on it goes on waiting.", "%(count)s jobs that depend on it go on waiting.", count
    )
    return text % {"count": count} if count else ""


def _seen(request: DashboardRequest, job_id: str) -> SeenJob:
    job = read_seen(request.POST.get("job", ""))
    if job is None or job.job_id != exact(job_id):
        raise Http404(_("The form does not say which job was seen. Go back to the page and try again."))
    return job


def _done(request: DashboardRequest, action: str, job_id: str, do: Callable[[], None], *, detail: str = "") -> bool:
    """Do it, write it on Activity, and return whether it was done; say why where it was not."""
    try:
        do()
    except NotDone as refusal:
        audit.record(request, action, target=job_id, outcome="skipped", detail=audit.in_english(refusal.__str__))
        messages.warning(request, str(refusal))
        return False
    audit.record(request, action, target=job_id, detail=detail)
    return True
