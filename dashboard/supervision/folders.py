"""One `up` a folder: a lock in it that ends with whoever holds it."""

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import IO

from dashboard import file_locks
from dashboard.supervision.refusals import CannotStart

PATIENCE = timedelta(seconds=15)
STEP_S = 0.1


def lock_folder(folder: Path) -> IO[str]:
    """Return the open file whose lock keeps the folder; what a killed run left behind gets the time to end.

    Raises CannotStart when another `up` runs there, or the folder cannot be written.
    """
    lock = _open(folder)
    deadline = time.monotonic() + PATIENCE.total_seconds()
    while not file_locks.take(lock):
        lock.seek(0)
        pid = lock.read().strip()
        if not pid or _alive(int(pid)) or time.monotonic() > deadline:
            lock.close()
            message = f"Mandor is already running in {folder} (process {pid or 'unknown'}): end that one first."
            raise CannotStart(message)
        time.sleep(STEP_S)
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def _open(folder: Path) -> IO[str]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return (folder / "up.lock").open("a+")
    except OSError as error:
        message = f"Cannot write in {folder}: {error.strerror}. MANDOR_VAR names another folder."
        raise CannotStart(message) from None


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
