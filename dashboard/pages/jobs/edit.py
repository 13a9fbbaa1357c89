"""Edit a job's arguments and enqueue it with them as a new job that is tied to the old one."""

from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dashboard import audit, toasts
from dashboard.access import requires
from dashboard.answers import SeeOther
from dashboard.htmx import DashboardRequest, render_frame
from dashboard.job_forms import ArgumentField, draw_fields, keep_typed, new_job_id, read_arguments
from jobs.arguments import InvalidArguments
from jobs.edits import enqueue_edited
from jobs.names import exact
from jobs.reads.job_edits import EditableCall, find_call
from jobs.registry import CoordinatedJob


@require_http_methods(["GET", "HEAD", "POST"])
@requires("edit_job")
def edit(request: DashboardRequest, job_id: str) -> HttpResponse:
    call = find_call(job_id)
    if call is None:
        raise Http404(_("Nothing is known of a job %(id)s.") % {"id": job_id})
    if call.job is None:
        return _draw(request, job_id, call, [], status=200 if request.method != "POST" else 422)
    fields = draw_fields(call.job, call.arguments)
    if request.method != "POST":
        return _draw(request, job_id, call, fields)
    return _enqueue(request, job_id, call, call.job, fields)


def _enqueue(
    request: DashboardRequest,
    job_id: str,
    call: EditableCall,
    job: CoordinatedJob[..., Any],
    fields: list[ArgumentField],
) -> HttpResponse:
    posted = request.POST.dict()
    try:
        arguments = read_arguments(job, fields, posted, call.arguments)
    except InvalidArguments as error:
        return _draw(request, job_id, call, keep_typed(fields, posted, error.problems), status=422)
    by = request.user.get_username()
    new = enqueue_edited(job, arguments, edited_from=exact(job_id), job_id=new_job_id(request), by=by)
    audit.record(request, "edit_job", target=job_id, detail=f"enqueued as {new.job_id}")
    toasts.succeed(request, _("Enqueued with the edited arguments as this new job; the old one stays as it is."))
    return SeeOther(reverse("mandor:job", args=[new.job_id]))


def _draw(
    request: DashboardRequest, job_id: str, call: EditableCall, fields: list[ArgumentField], *, status: int = 200
) -> HttpResponse:
    context = {
        "job_id": job_id,
        "name": call.job.name if call.job else "",
        "problem": call.problem,
        "fields": fields,
        "new_id": new_job_id(request),
    }
    return render_frame(request, "mandor/jobs/edit.html", context, status=status)
