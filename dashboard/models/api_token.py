"""A person's key to the HTTP API and to the metrics. Only its hash is kept."""

from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """One token of a user; whoever shows the text that hashes to `digest` is that user, until it is revoked.

    `ending` is its last four characters, by which a person recognises it.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True)
    ending = models.CharField(max_length=4)
    made = models.DateTimeField(auto_now_add=True)
    revoked = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"…{self.ending} of {self.user}, made {self.made:%Y-%m-%d}"
