"""The shared cache: entries with a state, computed by one at a time, never filled with a value from before a change."""

from jobs.caching.counters import count, flush_counts
from jobs.caching.entries import Entry, Outcome, State, encode_value, namespace_of
from jobs.caching.invalidations import invalidate, invalidate_namespace
from jobs.caching.job_refreshes import begin_from_job, fill_from_job, renew_from_job
from jobs.caching.lookups import read, wait_for
from jobs.caching.markers import Filling, RefreshFailed
from jobs.caching.refreshes import get_or_refresh
from jobs.caching.shared import SharedCache
from jobs.caching.sources import BUCKETS_MS, note_refresh

__all__ = [
    "BUCKETS_MS",
    "Entry",
    "Filling",
    "Outcome",
    "RefreshFailed",
    "SharedCache",
    "State",
    "begin_from_job",
    "count",
    "encode_value",
    "fill_from_job",
    "flush_counts",
    "get_or_refresh",
    "invalidate",
    "invalidate_namespace",
    "namespace_of",
    "note_refresh",
    "read",
    "renew_from_job",
    "wait_for",
]
