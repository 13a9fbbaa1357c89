"""The lists of jobs by state, with the search, and the way to the one whose name is typed."""

from dataclasses import replace

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from dashboard.access import can, requires
from dashboard.htmx import DashboardRequest, render_page
from dashboard.job_filters import describe_list, find_named, read_job_filter
from jobs.reads import jobs as jobs_reads
from jobs.reads import states

TABS = {
    states.WAITING: (_("Waiting"), _("Waits")),
    states.IN_FLIGHT: (_("In flight"), _("Runs for")),
    states.SCHEDULED: (_("Scheduled"), _("Runs in")),
    states.RETRYING: (_("Retrying"), _("Runs in")),
    states.FINISHED: (_("Finished"), _("Finished")),
    states.DEAD: (_("Dead letters"), _("Died")),
    states.STOPPED: (_("Stopped"), _("Stopped")),
    states.DEFERRED: (_("Deferred"), _("Waits")),
    states.CANCELED: (_("Canceled"), _("Canceled")),
    states.DISCARDED: (_("Discarded"), _("Discarded")),
}
"""Each state's word, and what its jobs' time means."""

IN_BULK = {
    "retry": ("retry_job", (states.DEAD, states.STOPPED)),
    "discard": ("discard_job", tuple(state for state in TABS if state not in (states.IN_FLIGHT, states.DISCARDED))),
    "restore": ("discard_job", (states.DISCARDED,)),
}
"""What may be done in a list: the permission for it, and the states it is for."""


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    wanted = replace(read_job_filter(request), state=_read_state(request))
    there = find_named(request, wanted)
    if there:
        return redirect(there)
    listed = jobs_reads.list_jobs(wanted)
    may = {f"can_{verb}": _may(request, verb, wanted.state) for verb in IN_BULK}
    context = {
        **describe_list(request, listed),
        "tabs": [(state, word, listed.counts[state]) for state, (word, _when) in TABS.items()],
        "when": TABS[wanted.state][1],
        "can_stop": can(request.user, "stop_job"),
        "can_enqueue": can(request.user, "enqueue_job"),
        "can_select": any(may.values()),
        **may,
    }
    return render_page(request, "mandor/jobs/index.html", "mandor/jobs/_list.html", context)


def _may(request: DashboardRequest, verb: str, state: str) -> bool:
    permission, in_states = IN_BULK[verb]
    return state in in_states and can(request.user, permission)


def _read_state(request: DashboardRequest) -> str:
    asked = request.GET.get("state", "")
    return asked if asked in TABS else states.IN_FLIGHT
