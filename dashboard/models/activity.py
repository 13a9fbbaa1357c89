"""Who did what, when, from where, to what, and how it came out."""

from typing import Any, Never

from django.db import models
from django.utils.translation import gettext_lazy as _


class AppendOnly(TypeError):
    """Somebody tried to change or delete an entry; entries are only ever added."""


class AppendOnlyQuerySet(models.QuerySet["ActivityEntry"]):
    def update(self, **_: Any) -> Never:
        raise AppendOnly

    def delete(self) -> Never:
        raise AppendOnly


class ActivityEntry(models.Model):
    """One write, or one denial of a write. `action` is the codename of the permission it takes, or one of DEEDS."""

    class Outcome(models.TextChoices):
        DONE = "done", _("Done")
        DENIED = "denied", _("Denied")
        SKIPPED = "skipped", _("Skipped")

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    who = models.CharField(max_length=150, db_index=True)
    ip = models.GenericIPAddressField(null=True)
    action = models.CharField(max_length=50, db_index=True)
    target = models.CharField(max_length=500)
    count = models.PositiveIntegerField(default=1)
    reason = models.CharField(max_length=500, blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome, db_index=True)
    detail = models.CharField(max_length=500, blank=True)

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return f"{self.who}: {self.action} {self.target} ({self.outcome})"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnly
        super().save(*args, **kwargs)

    def delete(self, *_: Any, **__: Any) -> Never:
        raise AppendOnly
