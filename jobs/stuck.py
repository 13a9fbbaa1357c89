"""Notice locks that are held for twice their longest duration: the ones that need a person."""

from redis import Redis

from jobs import keys, scripts
from jobs.logs import log

MOST_AT_ONCE = 100


def report_stuck(client: Redis) -> None:
    """Log each stuck hold as a warning, once a hold. Nothing is released."""
    for row in scripts.run(client, "locks_stuck", [keys.LOCKS, keys.EVENTS], [keys.PREFIXES, MOST_AT_ONCE]):
        resource, token, holder, job, acquired, longest = (part.decode(errors="replace") for part in row)
        log.warning(
            "lock stuck",
            resource=resource,
            token=token,
            holder=holder,
            job_id=job,
            acquired_ms=int(acquired),
            max_ms=int(longest),
        )
