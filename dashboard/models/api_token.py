"""A person's key to the HTTP API and to the metrics. Only its hash is kept."""

from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """One token of a user; whoever shows the text that hashes to `digest` is that user."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True)
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"token of {self.user}, made {self.made:%Y-%m-%d}"
