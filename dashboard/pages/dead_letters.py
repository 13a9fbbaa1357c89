"""The dead letters: what ran out of attempts, until a person retries it."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from dashboard.access import can, requires
from dashboard.htmx import DashboardRequest, render_page
from dashboard.job_filters import describe_list, find_named, read_job_filter
from jobs.reads import dead_letters as dead_letter_reads


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    stopped = request.GET.get("state") == "stopped"
    wanted = read_job_filter(request)
    there = find_named(request, wanted)
    if there:
        return redirect(there)
    listed = dead_letter_reads.list_dead_letters(wanted, stopped=stopped)
    may = {f"can_{verb}": can(request.user, f"{verb}_job") for verb in ("retry", "discard")}
    context = {**describe_list(request, listed), "stopped": stopped, "can_select": any(may.values()), **may}
    return render_page(request, "mandor/dead_letters/index.html", "mandor/dead_letters/_list.html", context)
