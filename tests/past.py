"""A past for tests: buckets as the upkeep writes them, only longer ago than a test can wait for."""

from datetime import UTC, datetime, timedelta

from jobs import keys
from jobs.connection import store
from jobs.resolutions import FINE, Resolution


def server_now() -> datetime:
    seconds, micro = store().time()
    return datetime.fromtimestamp(seconds, UTC) + timedelta(microseconds=micro)


def start_of(at: datetime, resolution: Resolution = FINE) -> datetime:
    """Return the start of the bucket that `at` falls into."""
    return at - (at - datetime.fromtimestamp(0, UTC)) % resolution.step


def remember(queue: str, resolution: Resolution, ago: timedelta, **figures: int) -> datetime:
    """Write the bucket of a queue that lies `ago` back, or of the whole under the empty name; returns its start."""
    return _write(keys.history(resolution.name, queue), resolution, ago, figures)


def remember_durations(queue: str, resolution: Resolution, ago: timedelta, counts: dict[int, int]) -> datetime:
    """Write how many attempts fell into each bucket of durations, by its place, in the time that lies `ago` back."""
    return _write(keys.durations(resolution.name, queue), resolution, ago, {str(k): v for k, v in counts.items()})


def _write(key: str, resolution: Resolution, ago: timedelta, figures: dict[str, int]) -> datetime:
    start = start_of(server_now() - ago, resolution)
    store().xadd(key, figures, id=f"{int(start.timestamp() * 1000)}-0")
    return start
