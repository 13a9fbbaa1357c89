"""/metrics, for Prometheus: by token, or in the session of somebody who may read them."""

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from dashboard.access import requires
from dashboard.exposition import expose
from dashboard.htmx import DashboardRequest
from dashboard.tokens import accepts_token
from jobs.connection import StoreAway
from jobs.reads.metrics import Metrics, read_metrics


@require_GET
@accepts_token
@requires("view_metrics")
def show(request: DashboardRequest) -> HttpResponse:
    text, content_type = expose(_metrics(), request.headers.get("Accept", ""))
    return HttpResponse(text, content_type)


def _metrics() -> Metrics | None:
    try:
        return read_metrics()
    except StoreAway:
        return None
