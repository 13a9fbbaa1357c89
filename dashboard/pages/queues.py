"""The queues: the list, each one's own page, and their pause, resume and emptying by hand."""

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_POST, require_safe

from dashboard import audit, toasts
from dashboard.access import can, requires
from dashboard.answers import go_back
from dashboard.charts import outline_charts, render_charts
from dashboard.filters import count
from dashboard.htmx import DashboardRequest, render_page
from dashboard.paging import ROWS, build_page
from jobs import empties, pauses
from jobs.names import exact
from jobs.reads import charts as chart_reads
from jobs.reads import queue as queue_reads
from jobs.reads import queues as queues_reads


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    queues = queues_reads.list_queues()
    page = build_page(request, total=len(queues))
    context = {
        "queues": queues[page.first - 1 : page.first - 1 + ROWS],
        "total": len(queues),
        "page": page,
        **_permissions(request),
    }
    return render_page(request, "mandor/queues/index.html", "mandor/queues/_list.html", context)


@require_safe
@requires("view")
def show(request: DashboardRequest, name: str) -> HttpResponse:
    detail = queue_reads.find_queue(name)
    if detail is None:
        raise _not_known(name)
    context = {
        "queue": detail.row,
        "workers": detail.workers,
        "more_workers": detail.more_workers,
        **outline_charts(request, chart_reads.QUEUE, reverse("mandor:queue-charts", args=[name])),
        **_permissions(request),
    }
    return render_page(request, "mandor/queues/show.html", "mandor/queues/_queue.html", context)


@require_safe
@gzip_page
@requires("view", shared=False)
def charts(request: DashboardRequest, name: str) -> HttpResponse:
    if not queues_reads.is_known(name):
        raise _not_known(name)
    read = partial(chart_reads.read_queue_charts, name)
    return render_charts(request, read, above=name, above_url=_address(name))


@require_POST
@requires("pause_queue")
def pause(request: DashboardRequest, name: str) -> HttpResponse:
    try:
        pauses.pause_queue(exact(name), by=request.user.get_username())
    except pauses.UnknownQueue as error:
        raise _not_known(name) from error
    except pauses.AlreadySo:
        audit.record(request, "pause_queue", target=name, outcome="skipped", detail="paused already")
        messages.warning(request, _("Queue %(name)s was paused already.") % {"name": name})
    else:
        audit.record(request, "pause_queue", target=name)
        text = _("Paused queue %(name)s. Its jobs wait until it is resumed.") % {"name": name}
        toasts.succeed(request, text, view=_address(name), undo=reverse("mandor:queue-resume", args=[name]))
    return go_back(request, "mandor:queues")


@require_POST
@requires("pause_queue", deed="resume_queue")
def resume(request: DashboardRequest, name: str) -> HttpResponse:
    try:
        pauses.resume_queue(exact(name), by=request.user.get_username())
    except pauses.AlreadySo:
        audit.record(request, "resume_queue", target=name, outcome="skipped", detail="not paused")
        messages.warning(request, _("Queue %(name)s was not paused.") % {"name": name})
    else:
        audit.record(request, "resume_queue", target=name)
        text = _("Resumed queue %(name)s.") % {"name": name}
        toasts.succeed(request, text, view=_address(name), undo=reverse("mandor:queue-pause", args=[name]))
    return go_back(request, "mandor:queues")


@require_POST
@requires("empty_queue")
def empty(request: DashboardRequest, name: str) -> HttpResponse:
    if request.POST.get("typed", "") != name:
        messages.error(request, _("Nothing was removed: type the queue's name, %(name)s, to confirm.") % {"name": name})
        return go_back(request, "mandor:queue", name)
    try:
        removed = empties.empty_queue(exact(name), by=request.user.get_username())
    except pauses.UnknownQueue as error:
        raise _not_known(name) from error
    audit.record(request, "empty_queue", target=name, count=removed)
    message = ngettext(
        "Removed %(jobs)s job from queue %(name)s.", "Removed %(jobs)s jobs from queue %(name)s.", removed
    )
    messages.success(request, message % {"jobs": count(removed), "name": name})
    return go_back(request, "mandor:queue", name)


def _address(name: str) -> str:
    return reverse("mandor:queue", args=[name])


def _permissions(request: DashboardRequest) -> dict[str, bool]:
    return {f"can_{verb}": can(request.user, f"{verb}_queue") for verb in ("pause", "empty")}


def _not_known(name: str) -> Http404:
    return Http404(_("Neither the settings nor RQ know of a queue %(name)s.") % {"name": name})
