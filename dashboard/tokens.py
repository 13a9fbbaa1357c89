"""Bearer tokens: a user's key to the API and the metrics, shown once and kept as a hash."""

import hashlib
import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, TypeAlias

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse

from dashboard.models import ApiToken

PREFIX = "mandor_"
SCHEME = "bearer"

View: TypeAlias = Callable[Concatenate[Any, ...], HttpResponse]


def issue_token(user: User) -> str:
    """Make a token for `user` and return it; it cannot be had again."""
    token = PREFIX + secrets.token_urlsafe(32)
    ApiToken.objects.create(user=user, digest=_digest(token))
    return token


def revoke_tokens(user: User) -> int:
    """Make all tokens of `user` worthless; returns how many there were."""
    count, _ = ApiToken.objects.filter(user=user).delete()
    return count


def find_user(token: str) -> User | None:
    """Return the active user whose token this is."""
    found = ApiToken.objects.select_related("user").filter(digest=_digest(token), user__is_active=True).first()
    return found.user if found else None


def accepts_token(view: View) -> View:
    """Let a request with a bearer token speak for the token's user; a wrong token is 401, none leaves the session."""

    @wraps(view)
    def recognised(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "Authorization" in request.headers:
            user = find_user(_bearer(request))
            if user is None:
                return HttpResponse("Unknown token.\n", "text/plain", 401, headers={"WWW-Authenticate": "Bearer"})
            request.user = user
        return view(request, *args, **kwargs)

    return recognised


def _bearer(request: HttpRequest) -> str:
    scheme, _, token = request.headers["Authorization"].partition(" ")
    return token.strip() if scheme.lower() == SCHEME else ""


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
