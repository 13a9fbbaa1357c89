"""Bearer tokens: a user's key to the API and the metrics, shown once and kept as a hash."""

import hashlib
import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, TypeAlias

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone

from dashboard.models import ApiToken

PREFIX = "mandor_"
SCHEME = "bearer"
ENDING = 4

View: TypeAlias = Callable[Concatenate[Any, ...], HttpResponseBase]


def issue_token(user: User) -> str:
    """Make a token for `user` and return it; it cannot be had again."""
    token = PREFIX + secrets.token_urlsafe(32)
    ApiToken.objects.create(user=user, digest=_digest(token), ending=token[-ENDING:])
    return token


def revoke_tokens(user: User) -> list[ApiToken]:
    """Make all tokens of `user` worthless; returns those that were not so before."""
    tokens = list(ApiToken.objects.filter(user=user, revoked=None).select_related("user"))
    ApiToken.objects.filter(user=user, revoked=None).update(revoked=timezone.now())
    return tokens


def find_user(token: str) -> User | None:
    """Return the active user whose token this is, unless it was revoked."""
    tokens = ApiToken.objects.filter(digest=_digest(token), revoked=None, user__is_active=True)
    found = tokens.select_related("user").first()
    return found.user if found else None


def accepts_token(view: View) -> View:
    """Let a request with a bearer token speak for the token's user; a wrong token is 401, none leaves the session."""

    @wraps(view)
    def recognised(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == SCHEME:
            user = find_user(token.strip())
            if user is None:
                return HttpResponse("Unknown token.\n", "text/plain", 401, headers={"WWW-Authenticate": "Bearer"})
            request.user = user
        return view(request, *args, **kwargs)

    return recognised


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
