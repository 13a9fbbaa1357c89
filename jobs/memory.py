"""How much memory a process has."""

import os
import resource
from pathlib import Path


def memory_used(child: int = 0) -> int:
    """Return the resident memory of this process, and of a child if given, in bytes."""
    return sum(_resident(pid) for pid in (os.getpid(), child) if pid)


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if pid == os.getpid() else 0
