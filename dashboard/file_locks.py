"""Locks on files, which end with the process that holds them."""

import fcntl
from typing import IO


def take(file: IO[str]) -> bool:
    """Return whether this open file now holds its lock; nobody is waited for."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
