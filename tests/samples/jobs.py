"""Jobs that tests enqueue and workers run."""

import logging
import os
import signal
import time
from datetime import timedelta
from pathlib import Path

from jobs import coordinated
from tests.samples import marked  # noqa: F401  its jobs are found with these

SECOND = timedelta(seconds=1)


@coordinated(queue="mail")
def echo(*, text: str = "hello") -> str:
    return text


@coordinated(queue="reports", resource="report:{report_id}")
def locked(*, report_id: int) -> int:
    return report_id


@coordinated(
    queue="reports", resource="report:{report_id}", cache="report:{report_id}", fresh_for=SECOND, stale_for=60 * SECOND
)
def cached(*, report_id: int) -> dict[str, int]:
    return {"report": report_id}


@coordinated(queue="mail", unique="queued")
def remind(*, person: str) -> str:
    return person


@coordinated(queue="reports", resource="page:{page}", unique="keep-latest")
def render(*, page: int, version: int = 0) -> int:
    return version


@coordinated(queue="mail", unique="keep-latest")
def reindex(*, name: str) -> str:
    return name


@coordinated(queue="reports", resource="report:{report_id}", retries=0)
def locked_and_broken(*, report_id: int) -> None:
    raise ValueError(report_id)


@coordinated(queue="mail", retries=1)
def broken(*, message: str = "no such address") -> None:
    raise ValueError(message)


def _leave_marks(path: str, seconds: float) -> None:
    """Write a line at the start and one at the end, so that a test sees how often it ran and to which end."""
    with Path(path).open("a") as marks:
        marks.write("began\n")
        marks.flush()
        time.sleep(seconds)
        marks.write("ended\n")


@coordinated(queue="billing", resource="log:{path}", max_duration=20 * SECOND)
def leave_marks_on_billing(*, path: str, seconds: float) -> None:
    _leave_marks(path, seconds)


@coordinated(queue="mail", max_duration=20 * SECOND)
def leave_marks_on_mail(*, path: str, seconds: float) -> None:
    _leave_marks(path, seconds)


@coordinated(queue="reports", max_duration=20 * SECOND)
def leave_marks_on_reports(*, path: str, seconds: float) -> None:
    _leave_marks(path, seconds)


@coordinated(queue="mail")
def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@coordinated(queue="mail")
def kill_worker() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


@coordinated(queue="mail", max_duration=SECOND, retries=0)
def oversleep() -> None:
    try:
        time.sleep(30)
    except Exception:  # noqa: BLE001  what careless code does; the time limit must come through
        print("went on")


@coordinated(queue="mail")
def sign_in_elsewhere(*, user: str, password: str) -> str:
    return f"{user} signed in with {len(password)} characters"


@coordinated(queue="mail", retries=0)
def say(*, text: str, fail: bool = False) -> int:
    logging.getLogger(__name__).warning("%s", text)
    if fail:
        raise ValueError(text)
    return os.getpid()
