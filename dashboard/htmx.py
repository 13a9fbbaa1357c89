"""Answers one URL in two ways: a browser gets the page, a poll gets the region, or 304 while nothing changed."""

import hashlib
import re
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

from dashboard.navigation import list_places
from jobs.conf import conf
from jobs.connection import StoreAway
from jobs.reads.frame import Frame, read_frame, unknown_frame

# What changes while no figure does: the text and value of a ticking element, and the mask of the form token.
CLOCKS = re.compile(r'(<(?:time|meter)\b[^>]*?\bdata-clock="[^"]*"[^>]*?)(?:\svalue="[^"]*")?>[^<]*')
FORM_TOKENS = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"')

AWAY = "away"


class DashboardRequest(HttpRequest):
    """A request as it reaches a view: signed in, and with htmx's headers read."""

    user: User
    htmx: HtmxDetails


def is_poll(request: HttpRequest) -> bool:
    """Return whether a region asks for itself; boosted links and restored history want the whole page."""
    headers = request.headers
    return (
        headers.get("HX-Request") == "true"
        and headers.get("HX-Request-Type", "partial") == "partial"
        and "HX-Boosted" not in headers
        and "HX-History-Restore-Request" not in headers
    )


def render_page(
    request: HttpRequest,
    full_template: str,
    region_template: str,
    context: dict[str, Any],
) -> HttpResponse:
    """Answer with the page, with its live region for a poll, or with 304 when the poll has it already."""
    shown = {**context, **_frame_context(request, _read_frame(request))}
    region = render_to_string(region_template, shown, request)
    around = render_to_string("mandor/_around.html", shown, request)
    tag = polling_tag(region + around)
    if not is_poll(request):
        body = render_to_string(full_template, {**shown, "region": region, "tag": tag}, request)
        return _answer(HttpResponse(body), shown["frame"], tag)
    if request.headers.get("HX-PTag") == tag:
        return _answer(HttpResponse(status=304), shown["frame"], tag)
    return _answer(HttpResponse(around + region), shown["frame"], tag)


def render_frame(request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    """Answer with a page that has no live region, such as a refusal, in the frame."""
    shown = {**context, **_frame_context(request, _read_frame(request))}
    return _answer(HttpResponse(render_to_string(template, shown, request), status=status), shown["frame"], "")


def render_away(request: HttpRequest) -> HttpResponse:
    """Answer for a page whose figures cannot be had: the frame without them, in a region that asks again.

    The tag differs from that of any figures, so that the next good answer is never mistaken for known.
    """
    frame = unknown_frame()
    shown = {**_frame_context(request, frame), "tag": AWAY, "refused": request.method not in ("GET", "HEAD")}
    shown["region"] = render_to_string("mandor/_away.html", shown, request)
    template = "mandor/_around.html" if is_poll(request) else "mandor/503.html"
    return _answer(HttpResponse(render_to_string(template, shown, request), status=503), frame, AWAY)


def polling_tag(html: str) -> str:
    """Return a tag of what `html` says, clocks aside, so that a quiet page is a string of 304s."""
    still = FORM_TOKENS.sub("", CLOCKS.sub(r"\1", html))
    return hashlib.blake2s(still.encode(), digest_size=12).hexdigest()


def _read_frame(request: HttpRequest) -> Frame:
    if not request.user.has_perm("mandor.view"):
        return unknown_frame(away=False)
    try:
        return read_frame()
    except StoreAway:
        return unknown_frame()


def _frame_context(request: HttpRequest, frame: Frame) -> dict[str, Any]:
    return {
        "frame": frame,
        "now": frame.now,
        "places": list_places(request, frame),
        "environment": conf().ENVIRONMENT,
        "demo": conf().DEMO,
    }


def _answer(response: HttpResponse, frame: Frame, tag: str) -> HttpResponse:
    response["Mandor-Now"] = str(int(frame.now.timestamp() * 1000))
    response["Cache-Control"] = "no-store"
    if tag:
        response["HX-PTag"] = tag
    patch_vary_headers(response, ["HX-Request", "HX-Request-Type", "Cookie"])
    return response
