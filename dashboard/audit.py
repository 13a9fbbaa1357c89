"""Writes who did what on Activity."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import structlog
from django.http import HttpRequest
from django.utils import translation

from dashboard.models import ActivityEntry

Outcome: TypeAlias = Literal["done", "denied", "skipped"]

LONGEST = 500
DEEDS = ("resume_queue", "restore_job", "run_schedule")
"""What is done under a permission that is named after something else."""

log = structlog.get_logger()


def record(
    request: HttpRequest,
    action: str,
    *,
    target: str,
    count: int = 1,
    reason: str = "",
    outcome: Outcome = "done",
    detail: str = "",
) -> ActivityEntry:
    """Add one entry for the person behind `request`; `action` is the permission's codename, or one of DEEDS."""
    entry = ActivityEntry.objects.create(
        who=request.user.get_username(),
        ip=request.META.get("REMOTE_ADDR") or None,
        action=action,
        target=target[:LONGEST],
        count=count,
        reason=reason[:LONGEST],
        outcome=outcome,
        detail=detail[:LONGEST],
    )
    log.info("activity", who=entry.who, action=action, target=entry.target, count=count, outcome=outcome)
    return entry


def in_english(say: Callable[[], str]) -> str:
    """Return what `say` says, as Activity keeps it: in one language, whoever it was said to."""
    with translation.override(None):
        return say()
