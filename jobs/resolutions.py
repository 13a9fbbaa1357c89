"""How finely the past is kept, and for how long; `docs/redis-keys.md` says what an entry holds."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Resolution:
    """A series of buckets: how much time each covers, and how much time all of them do."""

    step: timedelta
    span: timedelta

    @property
    def kept(self) -> int:
        """How many buckets are kept."""
        return self.span // self.step

    @property
    def name(self) -> str:
        """What stands for it in a key: its step in seconds."""
        return str(self.step // timedelta(seconds=1))


FINE = Resolution(timedelta(seconds=10), timedelta(hours=1))
MINUTES = Resolution(timedelta(minutes=1), timedelta(days=1))
HOURS = Resolution(timedelta(hours=1), timedelta(days=30))
RESOLUTIONS = (FINE, MINUTES, HOURS)
