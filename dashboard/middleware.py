"""While Redis is away every page says so, quickly, and nothing fails."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from dashboard.htmx import render_away
from jobs.connection import StoreAway


class StoreAwayMiddleware:
    """Answers 503, in the frame, where a view could not reach Redis."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Turn a server that is away into an answer; leave every other exception alone."""
        return render_away(request) if isinstance(exception, StoreAway) else None
