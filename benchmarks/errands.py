"""Jobs for the benchmarks' workers, which find them by `MANDOR_ALLOW=benchmarks.errands.*`."""

import json
import time
from datetime import timedelta
from pathlib import Path

from jobs import coordinated

MINUTE = timedelta(minutes=1)


@coordinated(queue="mail")
def plain() -> None:
    pass


@coordinated(queue="mail", resource="errand", cache="errand:{key}", fresh_for=MINUTE, stale_for=MINUTE)
def cached(*, key: int = 0) -> int:
    return key


@coordinated(queue="reports", resource="one of all")
def take_turns(*, number: int, seconds: float, path: str) -> None:
    """Hold the resource for a while, and note who did and from when to when."""
    began = time.time()
    time.sleep(seconds)
    note(number=number, began=began, path=path)


@coordinated(queue="reports")
def note(*, number: int, path: str, began: float = 0.0) -> None:
    """Add a line: the number, and when it was the job's turn."""
    ended = time.time()
    with Path(path).open("a") as lines:
        lines.write(json.dumps([number, began or ended, ended]) + "\n")


def read_notes(path: Path) -> list[tuple[int, float, float]]:
    """Return the lines, oldest first: number, began, ended."""
    return [tuple(json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []
