"""How far back a chart reaches, and how much time one of its points covers."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from jobs import keys
from jobs.reads.buckets import ask_newest, ask_oldest, read_buckets
from jobs.reads.fields import server_time
from jobs.reads.trips import Trip
from jobs.resolutions import FINE, HOURS, MINUTES, Resolution

FEWEST = 20
EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class Range:
    """A span that ends now, drawn from the buckets of one resolution, several of them to a point."""

    name: str
    resolution: Resolution
    step: timedelta

    @property
    def points(self) -> int:
        return self.resolution.span // self.step


@dataclass(frozen=True, slots=True)
class Grid:
    """The starts of a chart's points, oldest first, and a mark that changes whenever the chart would."""

    range: Range
    starts: tuple[datetime, ...]
    mark: str


RANGES = {
    each.name: each
    for each in (
        Range("1h", FINE, timedelta(seconds=30)),
        Range("24h", MINUTES, timedelta(minutes=10)),
        Range("30d", HOURS, timedelta(hours=6)),
    )
}


def read_grid(shown: Range) -> Grid:
    """Return the points of a chart as of now, in one round trip. They end with the newest sample there is.

    While the history is younger than the span they begin with it, and are FEWEST at the least.
    Raises a member of `jobs.connection.StoreAway`.
    """
    trip = Trip()
    clock = trip.ask("time")
    whole = ask_newest(trip, keys.history(shown.resolution.name), shown.resolution, most=1)
    first = ask_oldest(trip, keys.history(shown.resolution.name))
    trip.go()
    now = server_time(clock.value)
    newest = max((bucket.start for bucket in read_buckets(whole) if bucket.start <= now), default=EPOCH)
    end = _floor(newest if now - newest < shown.step + 2 * shown.resolution.step else now, shown.step)
    oldest = min((bucket.start for bucket in read_buckets(first)), default=EPOCH)
    points = min(max((end - _floor(oldest, shown.step)) // shown.step + 1, FEWEST), shown.points)
    starts = tuple(end - back * shown.step for back in reversed(range(points)))
    return Grid(shown, starts, f"{shown.name}-{newest.timestamp():.0f}-{end.timestamp():.0f}")


def _floor(at: datetime, step: timedelta) -> datetime:
    return at - (at - EPOCH) % step
