"""Writes to the database that a newer holder has not overtaken."""

from typing import Any

from django.db.models import Q, QuerySet

from jobs.locks.leases import Lease


def fenced_update(queryset: QuerySet[Any], lease: Lease, *, fence: str = "fence", **values: Any) -> int:
    """Update rows that no newer token has written, and leave this one in the field `fence`; returns their number.

    Raises LeaseLost when no row may be written: the lease is gone, or a newer holder was there.
    """
    lease.check()
    current = Q(**{f"{fence}__lte": lease.token}) | Q(**{f"{fence}__isnull": True})
    updated = queryset.filter(current).update(**values, **{fence: lease.token})
    if not updated and queryset.exists():
        lease.lost = True
        lease.check()
    return updated
