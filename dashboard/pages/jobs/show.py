"""One job's own page."""

from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dashboard.access import can, requires
from dashboard.htmx import DashboardRequest, render_page
from jobs.reads import job as job_reads


@require_safe
@requires("view")
def show(request: DashboardRequest, job_id: str) -> HttpResponse:
    detail = job_reads.find_job(job_id)
    if detail is None:
        message = _("Nothing is known of a job %(id)s. Its record ends some time after the job, or it never was.")
        raise Http404(message % {"id": job_id})
    verbs = ("retry", "discard", "stop", "edit")
    context = {
        "detail": detail,
        "job": detail.row,
        **{f"can_{verb}": can(request.user, f"{verb}_job") for verb in verbs},
    }
    return render_page(request, "mandor/jobs/show.html", "mandor/jobs/_job.html", context)
