"""The `MANDOR` settings: defaults, environment, types. `jobs.checks` says what is wrong with a value."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.signals import setting_changed
from django.dispatch import receiver


@dataclass(frozen=True, slots=True)
class MandorSettings:
    """One field a setting. Each can also come from the environment as `MANDOR_<KEY>`; durations there are seconds."""

    VISIBILITY_TIMEOUT: timedelta = timedelta(seconds=30)
    RETRIES: int = 3
    RETRY_BASE: timedelta = timedelta(seconds=1)
    RETRY_CAP: timedelta = timedelta(hours=1)
    RETRY_JITTER: bool = False
    MAX_CRASHES: int = 3
    MAX_DURATION: timedelta = timedelta(minutes=3)
    GRACE: timedelta = timedelta(0)
    JOBS_PER_HORSE: int = 100
    HORSE_MEMORY: int = 536_870_912
    MAX_ARGUMENTS: int = 4096
    RESULT_TTL: timedelta = timedelta(hours=1)
    DEAD_LETTER_TTL: timedelta = timedelta(days=365)
    BIN_TTL: timedelta = timedelta(hours=24)
    BIN_SIZE: int = 100_000
    ALLOW: tuple[str, ...] = ()
    REDACT: tuple[str, ...] = ()
    ADOPT: bool = False
    RELEASE_STUCK: bool = False
    ALERT_URLS: tuple[str, ...] = ()
    CACHE_URL: str = ""
    CACHE_MAX_BYTES: int = 67_108_864
    LOG_URL: str = ""
    ENVIRONMENT: str = "development"
    DEMO: bool = False
    unknown: tuple[str, ...] = field(default=(), repr=False)


def _duration(text: str) -> timedelta:
    return timedelta(seconds=float(text))


def _flag(text: str) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    return words[text.strip().lower() or "0"]


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


PARSERS: dict[type, Callable[[str], Any]] = {timedelta: _duration, bool: _flag, int: int, tuple: _names, str: str}


class InvalidSetting(ValueError):
    """A value in `MANDOR` or the environment that cannot be read; the message names it and says what it takes."""


def read_setting(name: str, default: Any, configured: dict[str, Any]) -> Any:
    """Return the value of one setting: the environment's, else the one in `MANDOR`, else the default.

    Raises InvalidSetting when the environment's text is not of the default's type.
    """
    text = os.environ.get(f"MANDOR_{name}")
    if text is None:
        value = configured.get(name, default)
        return tuple(value) if isinstance(default, tuple) and isinstance(value, list) else value
    try:
        return PARSERS[type(default)](text)
    except (ValueError, KeyError):
        kind = "seconds" if isinstance(default, timedelta) else type(default).__name__
        message = f"MANDOR_{name}={text!r} in the environment: give it as {kind}, as in {default!r}."
        raise InvalidSetting(message) from None


_current: list[MandorSettings] = []


def conf() -> MandorSettings:
    """Return the settings in force, read once."""
    if not _current:
        configured: dict[str, Any] = getattr(settings, "MANDOR", {})
        known = {f.name: f.default for f in fields(MandorSettings) if f.name.isupper()}
        values = {name: read_setting(name, default, configured) for name, default in known.items()}
        _current.append(MandorSettings(**values, unknown=tuple(sorted(set(configured) - set(known)))))
    return _current[0]


@receiver(setting_changed)
def _forget(*, setting: str, **_: object) -> None:
    if setting == "MANDOR":
        _current.clear()
