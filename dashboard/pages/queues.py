"""The queues: the list, and each one's own page."""

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from dashboard.access import requires
from dashboard.htmx import DashboardRequest, render_page
from jobs.reads import queue as queue_reads
from jobs.reads import queues as queues_reads


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    context = {"queues": queues_reads.list_queues()}
    return render_page(request, "mandor/queues/index.html", "mandor/queues/_table.html", context)


@require_safe
@requires("view")
def show(request: DashboardRequest, name: str) -> HttpResponse:
    detail = queue_reads.find_queue(name)
    if detail is None:
        message = f"Neither the settings nor RQ know of a queue {name}."
        raise Http404(message)
    context = {"queue": detail.row, "workers": detail.workers}
    return render_page(request, "mandor/queues/show.html", "mandor/queues/_queue.html", context)
