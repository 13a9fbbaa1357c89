"""How much memory a process has."""

import os
import resource
from pathlib import Path

PEAK_UNIT = 1 if os.uname().sysname == "Darwin" else 1024
"""In which unit `ru_maxrss` is given, in bytes."""


def memory_used(child: int = 0) -> int:
    """Return the resident memory of this process, and of a child if given, in bytes."""
    return sum(_resident(pid) for pid in (os.getpid(), child) if pid)


def peak_memory() -> int:
    """Return the most resident memory that this process ever had, in bytes. Costs far less than to ask for today's."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * PEAK_UNIT


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return peak_memory() if pid == os.getpid() else 0
