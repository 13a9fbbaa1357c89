"""The workers, what they run, and who does the upkeep."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from dashboard.access import requires
from dashboard.htmx import DashboardRequest, render_page
from jobs.reads import workers as worker_reads


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    context = {"listed": worker_reads.list_workers()}
    return render_page(request, "mandor/workers/index.html", "mandor/workers/_list.html", context)
