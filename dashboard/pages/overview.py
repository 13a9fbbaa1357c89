"""The Overview: is everything all right, and if not, what is it."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from dashboard.access import requires
from dashboard.htmx import DashboardRequest, render_page
from jobs.reads import overview as overview_reads


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    context = {"overview": overview_reads.read_overview()}
    return render_page(request, "mandor/overview/index.html", "mandor/overview/_overview.html", context)
