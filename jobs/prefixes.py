"""The keys that a script completes with an id it pops: the piece `_keys` is made from this."""

from jobs import keys

FUNCTIONS = (
    *(keys.queue, keys.started, keys.failed, keys.scheduled, keys.scheduler_lock, keys.queue_workers),
    *(keys.job, keys.execution, keys.executions, keys.results, keys.worker),
    *(keys.wake, keys.parked, keys.paused, keys.counts),
    *(keys.attempts, keys.timeline, keys.log, keys.binned, keys.unique),
    *(keys.lock, keys.fence, keys.waiters, keys.beats, keys.reserved, keys.holds, keys.lock_wake),
    *(keys.cache, keys.cache_guard, keys.cache_version, keys.cache_keys, keys.cache_wake, keys.refreshing),
)
"""Each stands under its own name, with its last part left empty."""

PREFIXES = {function.__name__: function("") for function in FUNCTIONS} | {
    "commands": keys.worker_commands(""),
    "events": keys.EVENTS,
    "reclaim": keys.RECLAIM,
    "upkeep_wake": keys.UPKEEP_WAKE,
    "locks": keys.LOCKS,
    "cache_index": keys.CACHE_INDEX,
    "cache_written": keys.CACHE_WRITTEN,
    "cache_sizes": keys.CACHE_SIZES,
    "cache_bytes": keys.CACHE_BYTES,
}
