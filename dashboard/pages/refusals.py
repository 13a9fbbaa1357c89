"""What is answered in place of a page: not allowed, not found, failed."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404

from dashboard.htmx import render_frame


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001  Django's signature
    return render_frame(request, "mandor/403.html", {}, status=403)


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001  Django's signature
    return render(request, "mandor/403_csrf.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    said = exception.args[0] if exception.args and not isinstance(exception, Resolver404) else ""
    return render_frame(request, "mandor/404.html", {"what": said}, status=404)
