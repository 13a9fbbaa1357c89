"""The locks, and their release by hand."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from dashboard import audit, toasts
from dashboard.access import can, requires
from dashboard.answers import address_of, go_back
from dashboard.htmx import DashboardRequest, render_page
from dashboard.paging import build_page, read_page_number
from jobs import locks
from jobs.names import exact
from jobs.reads import locks as lock_reads

LONGEST_TOKEN = 20
CHANGED_HANDS = gettext_lazy("The lock changed hands since this page was drawn; nothing was released.")


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    found = lock_reads.list_locks(read_page_number(request))
    context = {
        "locks": found,
        "page": build_page(request, has_next=found.has_next),
        "can_release": can(request.user, "release_lock"),
    }
    return render_page(request, "mandor/locks/index.html", "mandor/locks/_table.html", context)


@require_safe
@requires("view")
def show(request: DashboardRequest) -> HttpResponse:
    resource = request.GET.get("resource", "")
    if not resource:
        raise Http404
    context = {
        "lock": lock_reads.show_lock(resource),
        "can_release": can(request.user, "release_lock"),
    }
    return render_page(request, "mandor/locks/show.html", "mandor/locks/_detail.html", context)


@require_POST
@requires("release_lock")
def release(request: DashboardRequest) -> HttpResponse:
    resource, token = request.POST.get("resource", ""), request.POST.get("token", "")
    reason = request.POST.get("reason", "").strip()
    if not resource or not token.isdecimal() or len(token) > LONGEST_TOKEN:
        raise Http404
    problem = _find_problem(resource, token, request.POST.get("typed", ""), reason)
    if problem:
        messages.error(request, problem)
        return go_back(request, "mandor:locks")
    done = locks.force_release(exact(resource), token=int(token), by=request.user.get_username(), reason=reason)
    outcome: audit.Outcome = "done" if done else "skipped"
    audit.record(request, "release_lock", target=resource, reason=reason, outcome=outcome, detail=f"token {token}")
    if done:
        text = _("Released %(resource)s. Its first waiter, if any, runs next.") % {"resource": resource}
        toasts.succeed(request, text, view=address_of("mandor:lock", resource=resource))
    else:
        messages.warning(request, CHANGED_HANDS)
    return go_back(request, "mandor:locks")


def _find_problem(resource: str, token: str, typed: str, reason: str) -> str:
    """Return what is missing before the hold of a living holder may be released; nothing for any other hold."""
    hold = lock_reads.show_lock(resource).hold
    if hold is None or hold.token != token or not hold.alive:
        return ""
    problem = ""
    if typed != resource:
        problem = _("%(resource)s was not released: its holder is alive, so type the resource's name to confirm.")
    elif not reason:
        problem = _("%(resource)s was not released: its holder is alive, so say why.")
    return problem % {"resource": resource}
