"""Every Redis key the project touches, spelled once; `docs/redis-keys.md` says what each holds.

Keys that start with RQ's prefix belong to RQ and look exactly as RQ writes them. Ours start with `mandor:`.
A function whose argument can be left empty is also used for the prefix that a script completes with an id it pops.
"""

from rq.defaults import RQ_KEY_PREFIX as RQ

OURS = "mandor"

DEMO = f"{OURS}:demo"

# RQ's own

QUEUES = f"{RQ}:queues"
WORKERS = f"{RQ}:workers"
SUSPENDED = f"{RQ}:suspended"


def queue(name: str = "") -> str:
    return f"{RQ}:queue:{name}"


def job(job_id: str = "") -> str:
    return f"{RQ}:job:{job_id}"


def dependents(job_id: str) -> str:
    return f"{RQ}:job:{job_id}:dependents"


def dependencies(job_id: str) -> str:
    return f"{RQ}:job::{job_id}:dependencies"


def started(queue_name: str = "") -> str:
    return f"{RQ}:wip:{queue_name}"


def finished(queue_name: str = "") -> str:
    return f"{RQ}:finished:{queue_name}"


def failed(queue_name: str = "") -> str:
    return f"{RQ}:failed:{queue_name}"


def scheduled(queue_name: str = "") -> str:
    return f"{RQ}:scheduled:{queue_name}"


def deferred(queue_name: str = "") -> str:
    return f"{RQ}:deferred:{queue_name}"


def canceled(queue_name: str = "") -> str:
    return f"{RQ}:canceled:{queue_name}"


CRON_SCHEDULERS = f"{RQ}:cron_schedulers"
CRON_JOBS = f"{RQ}:cron_jobs"


def cron_scheduler(name: str) -> str:
    return f"{RQ}:cron_scheduler:{name}"


def cron_history(name: str) -> str:
    return f"{RQ}:cron_job:{name}:jobs"


def scheduler_lock(queue_name: str = "") -> str:
    return f"{RQ}:scheduler-lock:{queue_name}"


def execution(composite: str = "") -> str:
    return f"{RQ}:execution:{composite}"


def executions(job_id: str = "") -> str:
    return f"{RQ}:executions:{job_id}"


def results(job_id: str = "") -> str:
    return f"{RQ}:results:{job_id}"


def worker(name: str = "") -> str:
    return f"{RQ}:worker:{name}"


def worker_executions(name: str) -> str:
    return f"{RQ}:worker:{name}:executions"


def queue_workers(queue_name: str = "") -> str:
    return f"{RQ}:workers:{queue_name}"


def worker_commands(name: str) -> str:
    return f"{RQ}:pubsub:{name}"


# Ours, about jobs

EVENTS = f"{OURS}:events"
EMPTYINGS = f"{OURS}:emptyings"
LEADER = f"{OURS}:leader"
UPKEEP = f"{OURS}:upkeep"
UPKEEP_WAKE = f"{OURS}:upkeep-wake"
RECLAIM = f"{OURS}:reclaim"


def wake(queue_name: str = "") -> str:
    return f"{OURS}:wake:{queue_name}"


def parked(queue_name: str = "") -> str:
    return f"{OURS}:parked:{queue_name}"


def paused(queue_name: str = "") -> str:
    return f"{OURS}:paused:{queue_name}"


def emptied(emptying: str = "") -> str:
    return f"{OURS}:emptied:{emptying}"


def attempts(job_id: str = "") -> str:
    return f"{OURS}:attempts:{job_id}"


def timeline(job_id: str = "") -> str:
    return f"{OURS}:timeline:{job_id}"


def log(job_id: str = "") -> str:
    return f"{OURS}:log:{job_id}"


def snapshot(name: str) -> str:
    return f"{OURS}:snapshot:{name}"


def bin_of(queue_name: str = "") -> str:
    return f"{OURS}:bin:{queue_name}"


def binned(job_id: str = "") -> str:
    return f"{OURS}:binned:{job_id}"


def counts(queue_name: str = "") -> str:
    return f"{OURS}:counts:{queue_name}"


def history(step: str, queue_name: str = "") -> str:
    return f"{OURS}:history:{step}:{queue_name}"


def durations(step: str, queue_name: str = "") -> str:
    return f"{OURS}:durations:{step}:{queue_name}"


def sampled(queue_name: str = "") -> str:
    return f"{OURS}:sampled:{queue_name}"


def unique(key: str = "") -> str:
    return f"{OURS}:unique:{key}"


# Ours, about locks

LOCKS = f"{OURS}:locks"
REVOCATIONS = f"{OURS}:revocations"


def lock(resource: str = "") -> str:
    return f"{OURS}:lock:{resource}"


def fence(resource: str = "") -> str:
    return f"{OURS}:fence:{resource}"


def waiters(resource: str = "") -> str:
    return f"{OURS}:waiters:{resource}"


def beats(resource: str = "") -> str:
    return f"{OURS}:beats:{resource}"


def reserved(resource: str = "") -> str:
    return f"{OURS}:reserved:{resource}"


def holds(resource: str = "") -> str:
    return f"{OURS}:holds:{resource}"


def lock_wake(waiter: str = "") -> str:
    return f"{OURS}:lock-wake:{waiter}"


def revoked(resource: str) -> str:
    return f"{OURS}:revoked:{resource}"


# Ours, about the cache

CACHE_INDEX = f"{OURS}:cache-index"
CACHE_NAMESPACES = f"{OURS}:cache-namespaces"
CACHE_WRITTEN = f"{OURS}:cache-written"
CACHE_SIZES = f"{OURS}:cache-sizes"
CACHE_BYTES = f"{OURS}:cache-bytes"


def cache(key: str = "") -> str:
    return f"{OURS}:cache:{key}"


def cache_guard(key: str = "") -> str:
    return f"{OURS}:cache-guard:{key}"


def cache_version(namespace: str = "") -> str:
    return f"{OURS}:cache-version:{namespace}"


def cache_keys(namespace: str = "") -> str:
    return f"{OURS}:cache-keys:{namespace}"


def cache_wake(key: str = "") -> str:
    return f"{OURS}:cache-wake:{key}"


def refreshing(key: str = "") -> str:
    return f"{OURS}:refreshing:{key}"


def cache_counts(namespace: str = "") -> str:
    return f"{OURS}:cache-counts:{namespace}"
