"""The dead letters: what ran out of attempts, until a person retries it."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from dashboard.access import can, requires
from dashboard.htmx import DashboardRequest, render_page
from dashboard.job_filters import describe_list, read_job_filter
from jobs.reads import dead_letters as dead_letter_reads


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    stopped = request.GET.get("state") == "stopped"
    listed = dead_letter_reads.list_dead_letters(read_job_filter(request), stopped=stopped)
    may = {f"can_{verb}": can(request.user, f"{verb}_job") for verb in ("retry", "discard")}
    context = {**describe_list(request, listed), "stopped": stopped, "can_select": any(may.values()), **may}
    return render_page(request, "mandor/dead_letters/index.html", "mandor/dead_letters/_list.html", context)
