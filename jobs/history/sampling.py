"""A sample of every queue and of the whole each ten seconds, taken by the one who does the upkeep."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from redis import Redis
from redis.exceptions import ResponseError

from jobs import keys, scripts
from jobs.history.readings import Reading, read_queues, read_whole
from jobs.reads.buckets import Bucket, ask_newest, read_buckets
from jobs.reads.fields import server_time
from jobs.reads.trips import Trip
from jobs.resolutions import FINE, HOURS, RESOLUTIONS
from jobs.scripts import Call

LONGEST_DIFFERENCE = timedelta(minutes=1)
MOST_AT_ONCE = 10
EPOCH = datetime.fromtimestamp(0, UTC)
WHOLE = ""


def sample(client: Redis, queues: list[str]) -> None:
    """Write a sample of every queue and of the whole, unless these ten seconds have theirs already.

    Whoever repeats it, or does it at the same time, writes nothing twice. A queue whose keys are broken keeps no other
    from its sample; what the server said about it is raised at the end.
    """
    now, newest = _look(client)
    start = now - (now - EPOCH) % FINE.step
    if any(bucket.start >= start for bucket in newest):
        return
    readings = read_queues(client, queues, now)
    readings[WHOLE] = read_whole(client, list(readings.values()), now)
    refusals = add_readings(client, readings, _ms(start - EPOCH))
    if refusals:
        raise refusals[0]


def _look(client: Redis) -> tuple[datetime, list[Bucket]]:
    """Return the server's time, and the newest sample of the whole."""
    trip = Trip(client)
    clock, newest = trip.ask("time"), ask_newest(trip, keys.history(FINE.name, WHOLE), FINE, most=1)
    trip.go()
    return server_time(clock.value), read_buckets(newest)


def add_readings(client: Redis, readings: dict[str, Reading], at_ms: int) -> list[ResponseError]:
    """Write readings as the samples of the ten seconds from `at_ms` on; returns what the server refused."""
    calls = [Call("history_add", _keys(queue), _arguments(reading, at_ms)) for queue, reading in readings.items()]
    some = (calls[first : first + MOST_AT_ONCE] for first in range(0, len(calls), MOST_AT_ONCE))
    answers = (answer for each in some for answer in scripts.run_all(client, each))
    return [answer for answer in answers if isinstance(answer, ResponseError)]


def _keys(queue: str) -> list[str]:
    kinds = (keys.history, keys.durations)
    return [keys.sampled(queue), *(kind(resolution.name, queue) for kind in kinds for resolution in RESOLUTIONS)]


def _arguments(reading: Reading, at_ms: int) -> list[Any]:
    written = (json.dumps(part) for part in (reading.gauges, reading.counters, reading.durations))
    kept = (figure for resolution in RESOLUTIONS for figure in (_ms(resolution.step), resolution.kept))
    return [at_ms, *written, _ms(LONGEST_DIFFERENCE), _ms(HOURS.span), *kept]


def _ms(span: timedelta) -> int:
    return span // timedelta(milliseconds=1)
