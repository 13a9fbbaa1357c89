"""Coordination for distributed workers over RQ: claims, locks, a shared cache, retries and dead letters."""

from jobs import caching, locks
from jobs.registry import coordinated

__all__ = ["caching", "coordinated", "locks"]
