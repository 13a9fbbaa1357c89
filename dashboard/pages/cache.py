"""The shared cache: its namespaces, its entries, and each entry's own page."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from dashboard.access import requires
from dashboard.htmx import DashboardRequest, render_page
from dashboard.paging import build_page, read_page_number
from jobs.reads import cache as cache_reads

LONGEST_KEY = 1000


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    cache = cache_reads.read_cache(page=read_page_number(request))
    context = {
        "cache": cache,
        "page": build_page(request, total=cache.searched, has_next=cache.page < cache.pages),
    }
    return render_page(request, "cache/index.html", "cache/_cache.html", context)


@require_safe
@requires("view")
def show(request: DashboardRequest) -> HttpResponse:
    key = request.GET.get("key", "").strip()[:LONGEST_KEY]
    if not key:
        return redirect("mandor:cache")
    detail = cache_reads.find_entry(key)
    context = {"detail": detail, "entry": detail.entry}
    return render_page(request, "cache/show.html", "cache/_entry.html", context)
