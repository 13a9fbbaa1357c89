"""A sample of every queue and of the whole each ten seconds, taken by the one who does the upkeep."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from redis import Redis
from redis.exceptions import ResponseError

from jobs import keys, scripts
from jobs.history.readings import Reading, read_queues, read_whole
from jobs.reads.buckets import ask_newest, read_buckets
from jobs.reads.fields import server_time
from jobs.reads.trips import Trip
from jobs.resolutions import FINE, HOURS, RESOLUTIONS

LONGEST_DIFFERENCE = timedelta(minutes=1)
EPOCH = datetime.fromtimestamp(0, UTC)
WHOLE = ""


def sample(client: Redis, queues: list[str]) -> None:
    """Write a sample of every queue and of the whole, unless these ten seconds have theirs already.

    Whoever repeats it, or does it at the same time, writes nothing twice. A queue whose keys are broken keeps no other
    from its sample; what the server said about it is raised at the end.
    """
    at_ms = _due(client)
    if at_ms is None:
        return
    readings = read_queues(client, queues)
    readings[WHOLE] = read_whole(client, list(readings.values()))
    refusals = list(add_readings(client, readings, at_ms))
    if refusals:
        raise refusals[0]


def _due(client: Redis) -> int | None:
    """Return the start of the ten seconds that are to be sampled now, in milliseconds; None if they are."""
    trip = Trip(client)
    clock, newest = trip.ask("time"), ask_newest(trip, keys.history(FINE.name, WHOLE), FINE, most=1)
    trip.go()
    now = server_time(clock.value)
    at = now - (now - EPOCH) % FINE.step
    taken = any(bucket.start >= at for bucket in read_buckets(newest))
    return None if taken else _ms(at - EPOCH)


def add_readings(client: Redis, readings: dict[str, Reading], at_ms: int) -> Iterator[ResponseError]:
    """Write readings as the samples of the ten seconds from `at_ms` on; yields what the server refused."""
    for queue, reading in readings.items():
        try:
            scripts.run(client, "history_add", _keys(queue), _arguments(reading, at_ms))
        except ResponseError as refusal:
            yield refusal


def _keys(queue: str) -> list[str]:
    kinds = (keys.history, keys.durations)
    return [keys.sampled(queue), *(kind(resolution.name, queue) for kind in kinds for resolution in RESOLUTIONS)]


def _arguments(reading: Reading, at_ms: int) -> list[Any]:
    written = (json.dumps(part) for part in (reading.gauges, reading.counters, reading.durations))
    kept = (figure for resolution in RESOLUTIONS for figure in (_ms(resolution.step), resolution.kept))
    return [at_ms, *written, _ms(LONGEST_DIFFERENCE), _ms(HOURS.span), *kept]


def _ms(span: timedelta) -> int:
    return span // timedelta(milliseconds=1)
