"""Notice locks that are held for twice their longest duration: the ones that need a person."""

from datetime import timedelta

from redis import Redis

from jobs import keys, scripts
from jobs.alerts import send_alert
from jobs.conf import conf
from jobs.locks import force_release
from jobs.logs import log
from jobs.signals import lock_stuck

MOST_AT_ONCE = 100


def report_stuck(client: Redis) -> None:
    """Report each stuck hold once a hold: a warning in the log, the signal `lock_stuck`, and an alert.

    Found by the time held, not by the lease, which a holder that hangs may renew. Nothing is released, unless
    `MANDOR["RELEASE_STUCK"]` says so. A receiver that raises is logged and harms nothing.
    """
    for row in scripts.run(client, "locks_stuck", [keys.LOCKS, keys.EVENTS], [MOST_AT_ONCE]):
        resource, token, holder, job, acquired, longest, now = (part.decode(errors="replace") for part in row)
        held, limit = (timedelta(milliseconds=int(ms)) for ms in (int(now) - int(acquired), longest))
        _report(resource, int(token), holder, job, held=held, max_duration=limit)


def _report(resource: str, token: int, holder: str, job: str, *, held: timedelta, max_duration: timedelta) -> None:
    seconds = round(held.total_seconds())
    log.warning("lock stuck", resource=resource, token=token, holder=holder, job_id=job, held_seconds=seconds)
    facts = {"resource": resource, "token": token, "holder": holder, "job_id": job}
    for _, answer in lock_stuck.send_robust(sender=None, held=held, max_duration=max_duration, **facts):
        if isinstance(answer, Exception):
            log.error("receiver of lock_stuck failed", error=repr(answer))
    limit = round(max_duration.total_seconds())
    send_alert(f"Lock {resource} is stuck", f"{holder} has held it for {seconds} s; its maximum is {limit} s.")
    if conf().RELEASE_STUCK:
        force_release(resource, token=token, by="upkeep", reason="stuck, and RELEASE_STUCK is on")
