"""Refreshes by coordinated jobs where the cache lies on a server of its own, out of reach of the jobs' scripts."""

from datetime import timedelta

from jobs.caching import markers
from jobs.caching.markers import Filling, Marker
from jobs.caching.sources import note_refresh
from jobs.connection import cache_store


def begin_from_job(key: str, *, token: str, by: str, lease: timedelta) -> str:
    """Take the marker of `key` for a job, by the fencing token of its lock, from whoever has it.

    Returns the generation that the fill must name. Raises a member of StoreAway when the server is away.
    """
    marker = markers.begin(cache_store(), key, by=by, token=token, lease=lease)
    return marker.generation if isinstance(marker, Marker) else ""


def renew_from_job(key: str, *, token: str, lease: timedelta) -> bool:
    """Start the marker's lease anew; False when it is another's by now."""
    return markers.renew(cache_store(), Marker(key, "", token, ""), lease=lease)


def fill_from_job(
    filling: Filling,
    *,
    token: str,
    generation: str,
    by: str,
    took: timedelta = timedelta(0),
) -> bool:
    """Write what a job ended with; False when it was refused.

    Refused are a token below the highest that the entry has seen, and a refresh begun before an invalidation.
    """
    marker = Marker(filling.key, by, token, generation)
    written = markers.fill(cache_store(), marker, filling, took=took, pin="token")
    note_refresh(filling.key, by=by, written=written, took=took)
    return written
