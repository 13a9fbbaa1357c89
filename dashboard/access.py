"""Who may do what: the decorator that stands on every view, and the question a template asks."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Concatenate, TypeAlias

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse

from dashboard import audit
from dashboard.htmx import DashboardRequest, is_poll, render_frame
from dashboard.snapshots import answer_poll
from jobs.reads.shared import one_page

View: TypeAlias = Callable[Concatenate[DashboardRequest, ...], HttpResponseBase]


def can(user: AbstractBaseUser | AnonymousUser, codename: str) -> bool:
    """Return whether `user` has the permission `mandor.<codename>`."""
    return user.has_perm(f"mandor.{codename}")  # type: ignore[union-attr]


def requires(codename: str, *, deed: str = "", shared: bool = True) -> Callable[[View], View]:
    """Let only people with `mandor.<codename>` in; a refused write is written down as that `deed`, or by the codename.

    A poll is answered from the snapshot that all tabs share, unless the view sees to that by itself.
    """

    def decorate(view: View) -> View:
        def show(request: DashboardRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            with one_page():
                return view(request, *args, **kwargs)

        @wraps(view)
        def guarded(request: DashboardRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _send_to_login(request)
            if not can(request.user, codename):
                return _refuse(request, codename, deed or codename)
            if request.method not in ("GET", "HEAD"):
                return view(request, *args, **kwargs)
            if shared and request.method == "GET" and is_poll(request):
                return answer_poll(request, partial(show, request, *args, **kwargs))
            return show(request, *args, **kwargs)

        return guarded

    return decorate


def _send_to_login(request: HttpRequest) -> HttpResponse:
    if is_poll(request):
        return HttpResponse(status=401, headers={"HX-Refresh": "true"})
    back = request.get_full_path() if request.method in ("GET", "HEAD") else request.headers.get("Referer", "")
    return redirect_to_login(back, login_url=reverse("mandor:login"))


def _refuse(request: DashboardRequest, codename: str, deed: str) -> HttpResponse:
    if request.method not in ("GET", "HEAD"):
        audit.record(request, deed, target=_named_target(request), outcome="denied")
    if is_poll(request):
        return HttpResponse(status=403, headers={"HX-Refresh": "true"})
    return render_frame(request, "mandor/403.html", {"codename": codename}, status=403)


def _named_target(request: HttpRequest) -> str:
    in_path = request.resolver_match.kwargs.values() if request.resolver_match else ()
    in_form = (request.POST.get(name) for name in ("resource", "key", "namespace"))
    return next((str(value) for value in (*in_path, *in_form) if value), request.path)
