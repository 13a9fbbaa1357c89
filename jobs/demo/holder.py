"""Code outside the jobs that takes a lock and hangs: what makes a lock stuck, until a person releases it."""

from dataclasses import dataclass
from datetime import timedelta
from threading import Event

from jobs import locks
from jobs.connection import StoreAway
from jobs.locks import LeaseLost, LockHeld
from jobs.logs import log

RESOURCE = "warehouse:3"
HOLDER = "stock export"
WAIT = timedelta(seconds=5)
STEP_S = 0.2


@dataclass(frozen=True, slots=True)
class Pace:
    """When the first hold begins, how long a lease and the work may take, and the pause between two holds."""

    first: timedelta = timedelta(seconds=5)
    lease: timedelta = timedelta(seconds=5)
    max_duration: timedelta = timedelta(seconds=15)
    pause: timedelta = timedelta(minutes=3)


def hold_now_and_then(pace: Pace, *, ended: Event) -> None:
    """Take the lock, hang until it is lost, pause, and begin again, until the end."""
    wait = pace.first
    while not ended.wait(wait.total_seconds()):
        try:
            hold_and_hang(pace, ended=ended)
        except LeaseLost as error:
            log.warning("the export lost its lock and gives up", resource=RESOURCE, reason=str(error))
        except LockHeld:
            log.info("the export found its resource locked", resource=RESOURCE)
        except StoreAway as error:
            log.warning("the export waits, Redis is away", error=str(error))
        wait = pace.pause


def hold_and_hang(pace: Pace, *, ended: Event) -> None:
    """Hold the lock without getting anywhere. Raises LeaseLost when a person or the lock's own limit takes it away."""
    with locks.hold(RESOURCE, lease=pace.lease, max_duration=pace.max_duration, wait=WAIT, holder=HOLDER) as lease:
        while not ended.wait(STEP_S):
            lease.check()
