"""The few things that live in SQL: who may do what, who did what, and who speaks for whom from outside."""

from dashboard.models.access import Access
from dashboard.models.activity import ActivityEntry
from dashboard.models.api_token import ApiToken

__all__ = ["Access", "ActivityEntry", "ApiToken"]
