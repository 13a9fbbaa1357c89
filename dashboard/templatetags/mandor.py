"""What the templates write figures, times, states and sparklines with: `{% load mandor %}`."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import groupby
from typing import Any

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dashboard import filters
from dashboard.languages import list_languages
from dashboard.state_words import STATES

FEWEST = 10

register = template.Library()

for name in ("duration", "count", "percent", "size", "short_name", "words"):
    register.filter(name, getattr(filters, name))


@register.filter
def epoch_ms(at: datetime | None) -> str:
    """Return a time as a browser counts it."""
    return str(int((at or timezone.now()).timestamp() * 1000))


@register.simple_tag
def units() -> str:
    """Return the units of durations as the browser writes them: days, hours, minutes and seconds, apart by spaces."""
    return filters.units()


@register.simple_tag
def languages() -> list[tuple[str, str]]:
    """Return code and own name of each language to choose from."""
    return list_languages()


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return an icon of the sprite."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>', static("mandor/icons/sprite.svg"), name
    )


@register.simple_tag
def state(name: str, word: str = "") -> SafeString:
    """Return the pill of a state: icon, word and colour; `word` says it otherwise, as in `Paused by ana`."""
    tone, drawn, usual, tells = STATES.get(
        name, ("idle", "dash", name.replace("_", " ").capitalize() or _("Unknown"), "")
    )
    return pill(tone, drawn, word or str(usual), str(tells))


@register.simple_tag
@lru_cache(maxsize=500)
def pill(tone: str, drawn: str, word: str, tells: str = "") -> SafeString:
    """Return a pill of a tone (`waiting`, `dead`, `idle` …) with an icon and a word."""
    return format_html('<span class="state tone-{}" title="{}">{}{}</span>', tone, tells, icon(drawn), word)


@register.simple_tag(takes_context=True)
def ago(context: dict[str, Any], since: datetime | None) -> SafeString | str:
    """Return how long it is since then, ticking: `4 m 12 s`."""
    return _time("since", since, filters.ticking(_now(context) - since)) if since else filters.UNKNOWN


@register.simple_tag(takes_context=True)
def left(context: dict[str, Any], until: datetime | None) -> SafeString | str:
    """Return how long it is until then, counting down: `21 s`."""
    return _time("until", until, filters.ticking(until - _now(context))) if until else filters.UNKNOWN


@register.simple_tag
def clock(at: datetime | None) -> SafeString | str:
    """Return the time of day, in the viewer's zone once the browser knows it."""
    return _time("at", at, filters.time_of_day(timezone.localtime(at))) if at else filters.UNKNOWN


@register.simple_tag
def moment(at: datetime | None) -> SafeString | str:
    """Return day and time, in the viewer's zone once the browser knows it."""
    return _time("day", at, filters.day_and_time(timezone.localtime(at))) if at else filters.UNKNOWN


@register.simple_tag(takes_context=True)
def elapsed(context: dict[str, Any], since: datetime | None, maximum: timedelta | None, tone: str = "") -> SafeString:
    """Return a bar that fills from `since` on and is full at `maximum`."""
    if not since or not maximum:
        return SafeString("")
    return format_html(
        '<meter class="meter tone-{}" aria-hidden="true" data-clock="since" data-since="{}" max="{}" value="{}">'
        "</meter>",
        tone,
        since.isoformat(timespec="milliseconds"),
        maximum.total_seconds(),
        f"{min(_now(context) - since, maximum).total_seconds():.1f}",
    )


@register.simple_tag
def sparkline(values: Sequence[float | None], tone: str = "waiting") -> SafeString:
    """Return a line over its area, oldest value first, from 0 up to the highest; where values are None is a gap.

    What nobody knows yet at its beginning is left out, down to FEWEST values.
    """
    known = next((place for place, value in enumerate(values) if value is not None), 0)
    values = values[max(0, min(known, len(values) - FEWEST)) :]
    highest = max((value for value in values if value is not None), default=0) * 1.15 or 1
    place = 100 / max(len(values) - 1, 1)
    points = [
        None if value is None else f"{i * place:.1f} {32 - value / highest * 30:.1f}" for i, value in enumerate(values)
    ]
    parts = [[point for point in part if point] for known, part in groupby(points, bool) if known]
    return format_html(
        '<svg class="spark tone-{}" viewBox="0 0 100 34" preserveAspectRatio="none" aria-hidden="true">'
        '<path class="area" d="{}"/><path class="line" d="{}"/></svg>',
        tone,
        "".join(f"M{_x(part[0])} 34L{'L'.join(part)}L{_x(part[-1])} 34Z" for part in parts),
        "".join(f"M{'L'.join(part)}h0" for part in parts),
    )


def _x(point: str) -> str:
    return point.partition(" ")[0]


def _now(context: dict[str, Any]) -> datetime:
    return context.get("now") or timezone.now()


def _time(kind: str, at: datetime, text: str) -> SafeString:
    tells = _tell(at, timezone.get_current_timezone_name(), get_language())
    return format_html(
        '<time datetime="{}" data-clock="{}" title="{}">{}</time>',
        at.isoformat(timespec="milliseconds"),
        kind,
        tells,
        text,
    )


@lru_cache(maxsize=2_000)
def _tell(at: datetime, _zone: str, _language: str | None) -> str:
    """Return day, time and zone, which most pages say again when they are drawn anew."""
    return f"{filters.day_and_time(timezone.localtime(at))} {timezone.localtime(at):%Z}"
