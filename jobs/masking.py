"""Hide what looks secret before it is shown or logged, and keep whatever is shown small."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

from jobs.conf import conf

MASKED = "[masked]"
MORE = "…"
SECRETS = ("password", "passwd", "passphrase", "token", "secret", "authorization", "apikey", "cookie", "credential")
DEEPEST = 6
MOST = 50
LONGEST = 500
IN_ALL = 1_000
PASSWORD_IN_URL = re.compile(r"(://[^/\s:@]*:)[^/\s@]+(?=@)")


def mask(value: Any) -> Any:
    """Return a copy of JSON-like `value` in which every value under a key that looks secret is `[masked]`.

    Keys look secret when they contain password, token, secret, authorization, api key, cookie or the like, or a word of
    `MANDOR["REDACT"]`, in any spelling. The copy is small whatever comes in: 6 levels, 50 items each, 1,000 in all,
    texts of 500 characters; `…` stands for the rest. Anything that is not JSON becomes its text.
    """
    return _Masker(_secret_words(tuple(conf().REDACT))).mask(value, DEEPEST)


def has_secrets(value: Any) -> bool:
    """Return whether `mask` would hide, or cut, anything of a JSON value."""
    return bool(mask(value) != value)


def mask_text(text: str) -> str:
    """Return `text` with `[masked]` for what follows a word that looks secret (`password=…`, `"token": "…"`).

    So is the password of an address such as `redis://user:password@host`. Longer than a line it may take a while.
    """
    named = _after_secret_words((*SECRETS, *conf().REDACT)).sub(rf"\1{MASKED}", text)
    return PASSWORD_IN_URL.sub(rf"\1{MASKED}", named)


@cache
def _after_secret_words(words: tuple[str, ...]) -> re.Pattern[str]:
    spelled = "|".join(r"[\W_]?".join(map(re.escape, re.split(r"[\W_]+", word))) for word in words if word)
    spelled = spelled.replace("apikey", r"api[\W_]?key")
    return re.compile(rf"""((?:{spelled})\w*["']?\s*[=:]\s*["']?(?:(?:bearer|basic)\s+)?)[^\s"',;&]+""", re.IGNORECASE)


class _Masker:
    """One walk through a value, with the budget it has left."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        self.secrets = secrets
        self.left = IN_ALL

    def mask(self, value: Any, depth: int) -> Any:
        if isinstance(value, dict):
            return self._mapping(value, depth)
        if isinstance(value, list | tuple | set | frozenset):
            return self._list(value, depth)
        if value is None or isinstance(value, bool | int | float):
            return value
        return _cut(str(value))

    def _mapping(self, value: dict[Any, Any], depth: int) -> dict[str, Any]:
        if not depth:
            return {MORE: MORE} if value else {}
        masked = {
            _cut(str(key)): MASKED if self._looks_secret(key) else self.mask(item, depth - 1)
            for key, item in self._some(value.items())
        }
        return masked | {MORE: MORE} if len(masked) < len(value) else masked

    def _list(self, value: Any, depth: int) -> list[Any]:
        if not depth:
            return [MORE] if value else []
        masked = [self.mask(item, depth - 1) for item in self._some(value)]
        return [*masked, MORE] if len(masked) < len(value) else masked

    def _some(self, items: Any) -> Iterator[Any]:
        for item in islice(items, MOST):
            if self.left <= 0:
                return
            self.left -= 1
            yield item

    def _looks_secret(self, key: Any) -> bool:
        squeezed = _squeezed(str(key))
        return any(word in squeezed for word in self.secrets)


@cache
def _secret_words(more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(None, map(_squeezed, (*SECRETS, *more))))


def _squeezed(key: str) -> str:
    return "".join(filter(str.isalnum, key.casefold()))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + MORE
