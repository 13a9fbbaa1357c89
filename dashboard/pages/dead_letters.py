"""The dead letters: what ran out of attempts, until a person retries it."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from dashboard.access import can, requires
from dashboard.htmx import DashboardRequest, render_page
from dashboard.job_filters import read_job_filter
from dashboard.paging import build_page
from jobs.reads import dead_letters as dead_letter_reads


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    stopped = request.GET.get("state") == "stopped"
    wanted = read_job_filter(request)
    listed = dead_letter_reads.list_dead_letters(wanted, stopped=stopped)
    context = {
        "jobs": listed,
        "filter": listed.filter,
        "stopped": stopped,
        "can_retry": can(request.user, "retry_job"),
        "page": build_page(request, total=listed.matches, has_next=listed.page < listed.pages),
    }
    return render_page(request, "mandor/dead_letters/index.html", "mandor/dead_letters/_list.html", context)
