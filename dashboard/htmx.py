"""Answers one URL in two ways: a browser gets the page, a poll gets the region, or 304 while nothing changed."""

import hashlib
import re
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString
from django_htmx.middleware import HtmxDetails

from dashboard.navigation import list_places
from jobs.conf import conf
from jobs.connection import StoreAway
from jobs.reads.frame import Frame, read_frame, unknown_frame

# What changes while no figure does: the text and value of a ticking element.
CLOCKS = re.compile(r'(<(?:time|meter)\b[^>]*?\bdata-clock="[^"]*"[^>]*?)(?:\svalue="[^"]*")?>[^<]*')

# In a region that is shared this stands for the token of the person's own forms; quotes cannot come from any figure.
FORM_TOKEN = "of-whoever-looks"  # noqa: S105  stands for one
FORM_TOKEN_FIELD = f'name="csrfmiddlewaretoken" value="{FORM_TOKEN}"'

PTAG = "HX-PTag"
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
    """Answer with the page, or with its live region for a poll, to be shared by all polls of the same page."""
    frame = _read_frame(request)
    shown = {**context, **_frame_context(request, frame)}
    region, around = (
        render_to_string(template, {**shown, "csrf_token": FORM_TOKEN}, request)
        for template in (region_template, "mandor/_around.html")
    )
    tag = polling_tag(around + region)
    if is_poll(request):
        return answer(HttpResponse(around + region), _now(frame), tag)
    shown |= {"region": SafeString(put_form_token(region, request)), "tag": tag}
    return answer(HttpResponse(render_to_string(full_template, shown, request)), _now(frame), tag)


def render_frame(request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    """Answer with a page that has no live region, such as a refusal, in the frame."""
    shown = {**context, **_frame_context(request, _read_frame(request))}
    response = HttpResponse(render_to_string(template, shown, request), status=status)
    return answer(response, _now(shown["frame"]), "")


def render_away(request: HttpRequest) -> HttpResponse:
    """Answer for a page whose figures cannot be had: the frame without them, in a region that asks again.

    The tag differs from that of any figures, so that the next good answer is never mistaken for known.
    """
    frame = unknown_frame()
    shown = {**_frame_context(request, frame), "tag": AWAY, "refused": request.method not in ("GET", "HEAD")}
    shown["region"] = render_to_string("mandor/_away.html", shown, request)
    template = "mandor/_around.html" if is_poll(request) else "mandor/503.html"
    response = HttpResponse(render_to_string(template, shown, request), status=503)
    return answer(response, _now(frame), AWAY)


def polling_tag(html: str) -> str:
    """Return a tag of what `html` says, clocks aside, so that a quiet page is a string of 304s."""
    return hashlib.blake2s(CLOCKS.sub(r"\1", html).encode(), digest_size=12).hexdigest()


def put_form_token(region: str, request: HttpRequest) -> str:
    """Return the region with the person's own token in its forms."""
    if FORM_TOKEN_FIELD not in region:
        return region
    return region.replace(FORM_TOKEN_FIELD, f'name="csrfmiddlewaretoken" value="{get_token(request)}"')


def answer(response: HttpResponse, now: str, tag: str) -> HttpResponse:
    """Return the response with the server's time in milliseconds and its polling tag, for no cache to keep."""
    response["Mandor-Now"] = now
    response["Cache-Control"] = "no-store"
    if tag:
        response[PTAG] = tag
    patch_vary_headers(response, ["HX-Request", "HX-Request-Type", "Cookie"])
    return response


def _read_frame(request: HttpRequest) -> Frame:
    if not request.user.has_perm("mandor.view"):
        return unknown_frame(away=False)
    try:
        return read_frame()
    except StoreAway:
        return unknown_frame()


def _now(frame: Frame) -> str:
    return str(int(frame.now.timestamp() * 1000))


def _frame_context(request: HttpRequest, frame: Frame) -> dict[str, Any]:
    return {
        "frame": frame,
        "now": frame.now,
        "places": list_places(request, frame),
        "environment": conf().ENVIRONMENT,
        "demo": conf().DEMO,
    }
