"""Functions that leave something behind, and functions that look what is there: plain ones, for `MANDOR["ALLOW"]`."""

import contextvars
import faulthandler
import locale
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import structlog
from django.db import connection, transaction
from django.utils import timezone, translation
from rq import get_current_job
from rq.job import Job

note: contextvars.ContextVar[str] = contextvars.ContextVar("note", default="")
hoard: list[bytearray] = []
NAP_S = 0.05


def pid(**_: Any) -> int:
    return os.getpid()


def size(*, text: str) -> int:
    return len(text)


def mess() -> int:
    """Change what there is around a job, and return the process that it was changed in."""
    note.set("left")
    structlog.contextvars.bind_contextvars(note="left")
    os.environ["NOTE"] = "left"
    os.environ.pop("PATH", None)
    os.chdir("/")
    os.umask(0o007)
    locale.setlocale(locale.LC_ALL, "C")
    translation.activate("id")
    timezone.activate("Asia/Jakarta")
    sys.stdout = None  # type: ignore[assignment]
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, print)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGUSR2})
    signal.setitimer(signal.ITIMER_REAL, NAP_S)
    signal.setitimer(signal.ITIMER_PROF, NAP_S)
    return os.getpid()


def look() -> dict[str, Any]:
    """Return what there is around a job, once any timer that was left has had time to end."""
    time.sleep(2 * NAP_S)
    return {
        "note": note.get(),
        "bound": structlog.contextvars.get_contextvars().get("note"),
        "environment": dict(os.environ) | {"RQ_JOB_ID": "", "RQ_WORKER_ID": ""},
        "folder": str(Path.cwd()),
        "umask": _umask(),
        "locale": locale.setlocale(locale.LC_ALL),
        "language": translation.get_language(),
        "zone": timezone.get_current_timezone_name(),
        "stdout": type(sys.stdout).__name__,
        "handlers": [str(signal.getsignal(number)) for number in (signal.SIGTERM, signal.SIGUSR1)],
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "timers": [signal.getitimer(timer) for timer in (signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)],
    }


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def current_job() -> list[str]:
    job = get_current_job()
    assert isinstance(job, Job)
    return [job.id, job.origin, os.environ["RQ_JOB_ID"]]


def leave_thread() -> int:
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return os.getpid()


def leave_child(*, seconds: float = 60) -> int:
    return subprocess.Popen(["sleep", str(seconds)]).pid


def sleep_beside_child(*, seconds: float, path: str) -> None:
    Path(path).write_text(str(leave_child()))
    time.sleep(seconds)


def leave_child_and_die(*, path: str) -> None:
    Path(path).write_text(str(leave_child()))
    os.kill(os.getpid(), signal.SIGKILL)


def grow(*, megabytes: int) -> int:
    hoard.append(bytearray(b"x") * (megabytes << 20))
    return os.getpid()


def exit_at_once(*, status: int) -> None:
    os._exit(status)


def kill_itself(*, signum: int) -> None:
    os.kill(os.getpid(), signum)


def abort() -> None:
    faulthandler.disable()
    os.abort()


def sleep(*, seconds: float, path: str = "") -> int:
    """Sleep, and leave the process's id at `path` before."""
    if path:
        Path(path).write_text(str(os.getpid()))
    time.sleep(seconds)
    return os.getpid()


def sleep_deafly(*, seconds: float) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    time.sleep(seconds)


def leave_transaction() -> int:
    transaction.atomic().__enter__()
    return os.getpid()


def turn_off_autocommit() -> int:
    connection.set_autocommit(False)
    return os.getpid()


def select_one() -> list[Any]:
    """Return what the database answers, whether it commits by itself, and the process that asked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        (answer,) = cursor.fetchone()
    return [answer, connection.get_autocommit() and not connection.in_atomic_block, os.getpid()]
