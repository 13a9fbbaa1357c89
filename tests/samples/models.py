"""A table that checks fencing tokens, for tests of code that writes under a lock."""

from django.db import models


class Ledger(models.Model):
    """One row a resource: who wrote it last, and with which token."""

    resource = models.CharField(max_length=50, unique=True)
    fence = models.BigIntegerField(default=0)
    writer = models.CharField(max_length=50, default="")

    class Meta:
        app_label = "samples"

    def __str__(self) -> str:
        return f"{self.resource} by {self.writer}"
