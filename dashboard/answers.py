"""Where a write leads back to, and where what it changed is shown."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode


def address_of(route: str, **query: str) -> str:
    """Return the address of a page that is told by its query what to show."""
    return f"{reverse(route)}?{urlencode(query)}"


class SeeOther(HttpResponseRedirect):
    """303: what was asked for is done, go and look."""

    status_code = 303


def go_back(request: HttpRequest, route: str, *args: Any, **kwargs: Any) -> HttpResponse:
    """Lead back to the page the form stood on, or to the route if the browser does not tell."""
    came_from = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(came_from, {request.get_host()}, require_https=request.is_secure())
    return SeeOther(came_from if ours else resolve_url(route, *args, **kwargs))
