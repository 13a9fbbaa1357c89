"""The workers, what they run, their stop by hand, and who does the upkeep."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dashboard import audit
from dashboard.access import can, requires
from dashboard.answers import SeeOther
from dashboard.htmx import DashboardRequest, render_page
from dashboard.paging import build_page, read_page_number
from jobs.conf import conf
from jobs.names import exact
from jobs.reads import workers as worker_reads
from jobs.worker_stops import AlreadyStopping, DoesNotListen, NotStopped, stop_worker


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    listed = worker_reads.list_workers(page=read_page_number(request))
    can_stop = can(request.user, "stop_worker")
    asked = request.GET.get("stop", "")
    context = {
        "listed": listed,
        "page": build_page(request, total=listed.known),
        "can_stop": can_stop,
        "grace": conf().GRACE,
        "asked": next((row for row in listed.workers if can_stop and row.worker.name == asked), None),
    }
    return render_page(request, "mandor/workers/index.html", "mandor/workers/_list.html", context)


@require_POST
@requires("stop_worker")
def stop(request: DashboardRequest, name: str) -> HttpResponse:
    try:
        stop_worker(exact(name), by=request.user.get_username())
    except NotStopped as refusal:
        say = partial(_say_why, refusal, name)
        audit.record(request, "stop_worker", target=name, outcome="skipped", detail=audit.in_english(say))
        messages.warning(request, say())
    else:
        audit.record(request, "stop_worker", target=name)
        messages.success(request, _("Worker %(name)s ends once its current job has.") % {"name": name})
    return SeeOther(resolve_url("mandor:workers"))


def _say_why(refusal: NotStopped, name: str) -> str:
    match refusal:
        case AlreadyStopping():
            reason = _("Worker %(name)s is stopping already.")
        case DoesNotListen():
            reason = _("Worker %(name)s does not listen, so it was not told: it was killed, or it lost its connection.")
        case NotStopped():
            reason = _("Worker %(name)s has ended.")
    return reason % {"name": name}
