"""What is answered in place of a page: not allowed, not found, failed."""

from django.http import HttpRequest, HttpResponse

from dashboard.htmx import render_frame


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001  Django's signature
    return render_frame(request, "403.html", {}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001  Django's signature
    return render_frame(request, "404.html", {}, status=404)
