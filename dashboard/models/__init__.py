"""The few things that live in SQL: who may do what, and who did what."""

from dashboard.models.access import Access
from dashboard.models.activity import ActivityEntry

__all__ = ["Access", "ActivityEntry"]
