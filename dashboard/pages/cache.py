"""The shared cache: its namespaces, its entries, each one's own page, and their invalidation by hand."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_POST, require_safe

from dashboard import audit, toasts
from dashboard.access import can, requires
from dashboard.answers import address_of, go_back
from dashboard.charts import outline_charts, render_charts
from dashboard.filters import count
from dashboard.htmx import DashboardRequest, render_page
from dashboard.paging import build_page, read_page_number
from jobs import caching
from jobs.names import exact
from jobs.reads import cache as cache_reads
from jobs.reads import charts as chart_reads

LONGEST_KEY = 1000


@require_safe
@requires("view")
def index(request: DashboardRequest) -> HttpResponse:
    cache = cache_reads.read_cache(page=read_page_number(request))
    context = {
        "cache": cache,
        "page": build_page(request, total=cache.searched, has_next=cache.page < cache.pages),
        **outline_charts(request, chart_reads.CACHE, reverse("mandor:cache-charts")),
        "can_invalidate": can(request.user, "invalidate_cache"),
    }
    return render_page(request, "mandor/cache/index.html", "mandor/cache/_cache.html", context)


@require_safe
@gzip_page
@requires("view", shared=False)
def charts(request: DashboardRequest) -> HttpResponse:
    above_url = reverse("mandor:cache")
    return render_charts(request, chart_reads.read_cache_charts, above=_("Cache"), above_url=above_url)


@require_safe
@requires("view")
def show(request: DashboardRequest) -> HttpResponse:
    key = request.GET.get("key", "").strip()[:LONGEST_KEY]
    if not key:
        return redirect("mandor:cache")
    detail = cache_reads.find_entry(key)
    context = {"detail": detail, "entry": detail.entry, "can_invalidate": can(request.user, "invalidate_cache")}
    return render_page(request, "mandor/cache/show.html", "mandor/cache/_entry.html", context)


@require_safe
@requires("view")
def namespace(request: DashboardRequest) -> HttpResponse:
    name = request.GET.get("name", "")[:LONGEST_KEY]
    if not name:
        return redirect("mandor:cache")
    context = {
        "detail": cache_reads.find_namespace(name),
        "can_invalidate": can(request.user, "invalidate_cache"),
    }
    return render_page(request, "mandor/cache/namespace.html", "mandor/cache/_namespace_facts.html", context)


@require_POST
@requires("invalidate_cache")
def invalidate(request: DashboardRequest) -> HttpResponse:
    key, name = request.POST.get("key", ""), request.POST.get("namespace", "")
    if bool(key) == bool(name):
        raise Http404
    if key:
        caching.invalidate(exact(key))
        audit.record(request, "invalidate_cache", target=key)
        text = _("Invalidated %(key)s. The next reader computes it anew.") % {"key": key}
        toasts.succeed(request, text, view=address_of("mandor:cache-entry", key=key))
    else:
        held = caching.invalidate_namespace(exact(name))
        audit.record(request, "invalidate_cache", target=name, count=held, detail="namespace")
        message = ngettext(
            "Invalidated the namespace %(name)s, %(entries)s entry.",
            "Invalidated the namespace %(name)s, %(entries)s entries.",
            held,
        )
        messages.success(request, message % {"name": name, "entries": count(held)})
    return go_back(request, "mandor:cache")
