"""The Overview: is everything all right, and if not, what is it."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from dashboard.access import requires
from dashboard.charts import outline_charts, render_charts
from dashboard.htmx import DashboardRequest, render_page
from jobs.reads import charts as chart_reads
from jobs.reads import overview as overview_reads


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    context = {
        "overview": overview_reads.read_overview(),
        **outline_charts(request, chart_reads.OVERVIEW, reverse("mandor:overview-charts")),
    }
    return render_page(request, "mandor/overview/index.html", "mandor/overview/_overview.html", context)


@require_safe
@gzip_page
@requires("view", shared=False)
def charts(request: DashboardRequest) -> HttpResponse:
    above_url = reverse("mandor:overview")
    return render_charts(request, chart_reads.read_overview_charts, above=_("Overview"), above_url=above_url)
