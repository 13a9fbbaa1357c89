"""The words and figures of the charts."""

from datetime import timedelta

from django.utils.formats import get_format
from django.utils.translation import gettext_lazy as _

from dashboard.filters import UNKNOWN, count, duration, percent
from jobs.reads.charts import Unit
from jobs.reads.points import Values

RANGE_WORDS = {"1h": _("1 hour"), "24h": _("24 hours"), "30d": _("30 days")}

TITLES = {
    "waiting": _("Waiting"),
    "throughput": _("Ended per minute"),
    "waited": _("Waiting time"),
    "ran": _("Running time"),
    "reads": _("Cache reads per minute"),
    "locks": _("Locks"),
    "jobs": _("Jobs"),
    "ended": _("Finished and failed per minute"),
    "oldest": _("Age of the oldest waiting job"),
    "dead": _("Dead letters"),
    "ratio": _("Cache hit ratio"),
}
SERIES = {
    "p50": ("p50", "waiting"),
    "p95": ("p95", "retrying"),
    "p99": ("p99", "dead"),
    "hits": (_("hits"), "in-flight"),
    "stale": (_("stale"), "retrying"),
    "misses": (_("misses"), "dead"),
    "locks": (_("held"), "scheduled"),
    "waited_for": (_("waited for"), "retrying"),
    "waiting": (_("waiting"), "waiting"),
    "in_flight": (_("in flight"), "in-flight"),
    "finished": (_("finished"), "in-flight"),
    "failed": (_("failed"), "dead"),
    "oldest": (_("oldest"), "retrying"),
    "dead": (_("dead letters"), "dead"),
}
"""The word and the tone of each line that is no queue's."""

QUEUE_TONES = ("waiting", "retrying", "in-flight", "stopped", "finished", "dead")
UNIT_WORDS: dict[Unit, object] = {
    "count": _("highest in each step"),
    "per minute": _("per minute"),
    "seconds": _("seconds"),
    "percent": _("per cent"),
}
DECIMALS: dict[Unit, int] = {"count": 0, "per minute": 1, "seconds": 3, "percent": 1}


def figure(value: float | None, unit: Unit) -> str:
    """Return a value as a cell of the table holds it, empty for none."""
    if value is None:
        return ""
    text = f"{value * 100 if unit == 'percent' else value:.{DECIMALS[unit]}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace(".", get_format("DECIMAL_SEPARATOR"))


def latest(values: Values, unit: Unit) -> str:
    """Return the newest value as people read it; a dash where it is not known."""
    value = values[-1] if values else None
    if value is None:
        return UNKNOWN
    if unit == "seconds":
        return duration(timedelta(seconds=value))
    return percent(value) if unit == "percent" else count(value)
