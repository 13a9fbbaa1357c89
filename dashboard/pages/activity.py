"""Who did what: every write and every denial, newest first."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dashboard.access import requires
from dashboard.htmx import DashboardRequest, render_page
from dashboard.models import ActivityEntry
from dashboard.models.access import PERMISSIONS
from dashboard.models.activity import AppendOnlyQuerySet
from dashboard.paging import ROWS, build_page

WRITES = tuple(codename for codename, _ in PERMISSIONS if not codename.startswith("view"))
FILTERS = {"who": "who", "action": "action", "outcome": "outcome", "q": "target__icontains"}


@require_safe
@requires("view_activity")
def index(request: DashboardRequest) -> HttpResponse:
    entries = _filter_entries(request)
    page = build_page(request, total=entries.count())
    context = {
        "entries": entries[page.first - 1 : page.first - 1 + ROWS],
        "page": page,
        "filters": {name: request.GET.get(name, "") for name in FILTERS},
        "people": ActivityEntry.objects.order_by("who").values_list("who", flat=True).distinct(),
        "actions": WRITES,
        "outcomes": ActivityEntry.Outcome,
    }
    return render_page(request, "mandor/activity/index.html", "mandor/activity/_table.html", context)


def _filter_entries(request: HttpRequest) -> AppendOnlyQuerySet:
    wanted = {lookup: request.GET[name] for name, lookup in FILTERS.items() if request.GET.get(name)}
    return ActivityEntry.objects.filter(**wanted)
