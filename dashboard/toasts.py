"""Says what just happened, with the way to see it, and one to undo it where that truly undoes."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.template.loader import render_to_string


def succeed(request: HttpRequest, text: str, *, view: str = "", undo: str = "", **fields: Any) -> None:
    """Show `text` on the next page; `view` is the address to look at, `undo` where a form with `fields` is sent to."""
    context = {"text": text, "view": view, "undo": undo, "fields": fields}
    messages.success(request, render_to_string("mandor/components/_toast.html", context, request))
