"""Who did what: every write and every denial, newest first."""

import csv
from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from dashboard.access import requires
from dashboard.audit import DEEDS
from dashboard.htmx import DashboardRequest, render_page
from dashboard.models import ActivityEntry
from dashboard.models.access import PERMISSIONS
from dashboard.models.activity import AppendOnlyQuerySet
from dashboard.paging import ROWS, build_page

WRITES = (*(name for name, _ in PERMISSIONS if not name.startswith("view")), *DEEDS)
COLUMNS = ("at", "who", "action", "target", "count", "outcome", "reason", "detail", "ip")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
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
        "query": request.GET.urlencode(),
    }
    return render_page(request, "mandor/activity/index.html", "mandor/activity/_table.html", context)


@require_safe
@requires("view_activity")
def export(request: DashboardRequest) -> StreamingHttpResponse:
    """Answer with all entries that match, as CSV with a line of COLUMNS; times are ISO 8601 in UTC."""
    lines = StreamingHttpResponse(_write_lines(_filter_entries(request)), content_type="text/csv; charset=utf-8")
    lines["Content-Disposition"] = 'attachment; filename="activity.csv"'
    lines["Cache-Control"] = "no-store"
    return lines


class _Echo:
    """A file that hands back what is written to it."""

    @staticmethod
    def write(line: str) -> str:
        return line


def _write_lines(entries: AppendOnlyQuerySet) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield writer.writerow(COLUMNS)
    for at, *rest in entries.values_list(*COLUMNS).iterator():
        yield writer.writerow([at.isoformat(timespec="seconds"), *map(_as_text, rest)])


def _as_text(value: object) -> str:
    """Return a cell that no spreadsheet takes for a formula, whatever people and jobs are called."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(FORMULA) else text


def _filter_entries(request: HttpRequest) -> AppendOnlyQuerySet:
    wanted = {lookup: request.GET[name] for name, lookup in FILTERS.items() if request.GET.get(name)}
    return ActivityEntry.objects.filter(**wanted)
