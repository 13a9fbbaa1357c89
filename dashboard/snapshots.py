"""A poll is answered from a snapshot that all who see the same page share: a hundred tabs cost what one does.

So what a region shows may depend on the URL, on the person's permissions and on the language, and on nothing else of
the request.
"""

import hashlib
from collections.abc import Callable
from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone, translation

from dashboard.htmx import PTAG, answer, put_form_token
from jobs import snapshots


class _Unshared(snapshots.NotShared):
    """An answer that is no region, such as a redirect."""

    def __init__(self, response: HttpResponseBase) -> None:
        super().__init__()
        self.response = response


def answer_poll(request: HttpRequest, view: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Answer with the region as drawn within the last half second, or with 304 when the poll has it already."""
    try:
        tag, now, region = share_region(request, partial(_draw, view)).split("\n", 2)
    except _Unshared as unshared:
        return unshared.response
    if request.headers.get(PTAG) == tag:
        return answer(HttpResponse(status=304), now, tag)
    return answer(HttpResponse(put_form_token(region, request)), now, tag)


def share_region(request: HttpRequest, draw: Callable[[], str], *, version: str = "") -> str:
    """Return what `draw` drew for this page, and this version of it, within the last half second; else draw it."""
    return snapshots.share(_name(request, version), draw)


def _draw(view: Callable[[], HttpResponseBase]) -> str:
    response = view()
    if PTAG not in response or not isinstance(response, HttpResponse):
        raise _Unshared(response)
    return "\n".join((response[PTAG], response["Mandor-Now"], response.content.decode()))


def _name(request: HttpRequest, version: str) -> str:
    """Return a name that two requests have in common only if their answers are the same."""
    permissions = sorted(request.user.get_all_permissions())
    language, zone = translation.get_language(), timezone.get_current_timezone_name()
    seen = (request.get_full_path(), version, language, zone, *permissions)
    return hashlib.blake2s("\n".join(map(str, seen)).encode(), digest_size=16).hexdigest()
