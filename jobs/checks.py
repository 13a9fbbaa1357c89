"""System checks: what is wrong with the settings, by name, and what they take."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core import checks

from jobs.conf import InvalidSetting, MandorSettings, conf
from jobs.registry import list_jobs

SECOND = timedelta(seconds=1)
ADDRESS = re.compile(r"https?://\S*\{job_id\}\S*$")
Rule = tuple[Callable[[Any], bool], str]


def _duration(least: timedelta) -> Rule:
    return (
        lambda value: isinstance(value, timedelta) and value >= least,
        f"a timedelta of at least {least.total_seconds():g} s, for instance timedelta(seconds=30)",
    )


def _number(least: int) -> Rule:
    return lambda value: type(value) is int and value >= least, f"a whole number of at least {least}"


FLAG: Rule = (lambda value: isinstance(value, bool), "True or False")
TEXT: Rule = (lambda value: isinstance(value, str), "a text")
LOG_URL: Rule = (
    lambda value: value == "" or (isinstance(value, str) and ADDRESS.match(value) is not None),
    "an address with {job_id} in it, for instance https://logs.example/?q={job_id}",
)
NAMES: Rule = (
    lambda value: isinstance(value, tuple) and all(isinstance(name, str) for name in value),
    'a tuple of texts, for instance ("reports.build", "package.*")',
)

RULES: dict[str, Rule] = {
    "VISIBILITY_TIMEOUT": _duration(2 * SECOND),
    "RETRIES": _number(0),
    "RETRY_BASE": _duration(timedelta(0)),
    "RETRY_CAP": _duration(timedelta(0)),
    "RETRY_JITTER": FLAG,
    "MAX_CRASHES": _number(1),
    "MAX_DURATION": _duration(SECOND),
    "GRACE": _duration(timedelta(0)),
    "JOBS_PER_HORSE": _number(1),
    "HORSE_MEMORY": _number(1),
    "MAX_ARGUMENTS": _number(64),
    "RESULT_TTL": _duration(timedelta(0)),
    "DEAD_LETTER_TTL": _duration(SECOND),
    "BIN_TTL": _duration(SECOND),
    "BIN_SIZE": _number(0),
    "ALLOW": NAMES,
    "REDACT": NAMES,
    "ADOPT": FLAG,
    "RELEASE_STUCK": FLAG,
    "ALERT_URLS": NAMES,
    "CACHE_URL": TEXT,
    "CACHE_MAX_BYTES": _number(0),
    "LOG_URL": LOG_URL,
    "ENVIRONMENT": TEXT,
    "DEMO": FLAG,
}


@checks.register
def check_settings(**_: Any) -> list[checks.CheckMessage]:
    """Check `MANDOR`: unknown keys, and values that are not what their key takes."""
    try:
        current = conf()
    except InvalidSetting as error:
        return [checks.Error(str(error), id="mandor.E001")]
    return [*_unknown(current), *_wrong(current)]


@checks.register
def check_queues(**_: Any) -> list[checks.CheckMessage]:
    """Check that every registered job's queue is in `RQ_QUEUES`, and that Mandor's classes are in use."""
    queues = getattr(settings, "RQ_QUEUES", {})
    problems: list[checks.CheckMessage] = [
        checks.Error(
            f"{job.name} goes to queue {job.queue!r}, which is not in RQ_QUEUES ({', '.join(queues) or 'empty'}).",
            hint="Add the queue to RQ_QUEUES, or name one of these.",
            id="mandor.E004",
        )
        for job in list_jobs()
        if job.queue not in queues
    ]
    for setting, path in (("WORKER_CLASS", "jobs.worker.Worker"), ("QUEUE_CLASS", "jobs.queue.Queue")):
        if getattr(settings, "RQ", {}).get(setting) is None:
            message = f'RQ["{setting}"] is not set: workers would run without claims and locks.'
            problems.append(checks.Warning(message, hint=f'Set it to "{path}" or a subclass.', id="mandor.W001"))
    return problems


@checks.register
def check_apps(**_: Any) -> list[checks.CheckMessage]:
    """Check that `manage.py rqworker` is Mandor's: of two apps with a command of that name the earlier one has it."""
    installed = [app.name for app in apps.get_app_configs() if app.name in ("jobs", "django_rq")]
    if installed != ["django_rq", "jobs"]:
        return []
    message = 'django_rq comes before jobs in INSTALLED_APPS: `manage.py rqworker` has no "--grace".'
    return [checks.Warning(message, hint='Put "jobs" before "django_rq".', id="mandor.W002")]


def _unknown(current: MandorSettings) -> Iterator[checks.CheckMessage]:
    for name in current.unknown:
        message = f'MANDOR["{name}"] is not a setting.'
        yield checks.Error(message, hint=f"There are: {', '.join(RULES)}.", id="mandor.E002")


def _wrong(current: MandorSettings) -> Iterator[checks.CheckMessage]:
    for name, (is_right, takes) in RULES.items():
        value = getattr(current, name)
        if not is_right(value):
            yield checks.Error(f'MANDOR["{name}"] is {value!r}; it takes {takes}.', id="mandor.E003")
