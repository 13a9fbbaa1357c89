"""What one page of the dashboard costs: asked for in this process, through all middleware, by somebody signed in."""

import gzip
import re
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any
from urllib.parse import urljoin

from benchmarks.dashboard_data import Made
from benchmarks.dashboard_watch import watched

POLL = {"HX-Request": "true", "HX-Request-Type": "partial"}
OK, UNCHANGED = 200, 304
POLLS = 3
LARGE, EMPTY = 0, 1
"""The databases of the two deployments."""

ASSET = re.compile(r"""(?:src="|<link[^>]*href="|@import (?:url\()?["']|url\(["']?)([^"'#)]+\.(?:js|css|svg|woff2))""")


@dataclass(frozen=True)
class Cost:
    """Medians of a page: milliseconds in all and in the processor; of a 304 from the drawing that all share, and of one
    for which it was drawn. Of one view: what it asks of Redis, how long Redis took, and its bytes, compressed.
    """

    took_ms: float
    processor_ms: float
    shared_ms: float
    drawn_ms: float
    trips: int
    commands: int
    redis_ms: float
    slowest_ms: float
    slowest: str
    size: int


def list_pages(made: Made) -> dict[str, str]:
    """Return the paths of all pages by what they are called."""
    states = ("waiting", "in_flight", "scheduled", "retrying", "finished", "dead", "stopped", "discarded")
    return {
        "overview": "/",
        "its charts": "/charts/",
        "queues": "/queues/",
        "one queue": f"/queues/{made.queue}/",
        "its charts, queue": f"/queues/{made.queue}/charts/",
        **{f"jobs, {state.replace('_', ' ')}": f"/jobs/?state={state}" for state in states},
        "jobs, searched": "/jobs/?state=waiting&q=nowhere",
        "a waiting job": f"/jobs/{made.waiting_job}/",
        "a dead letter": f"/jobs/{made.dead_job}/",
        "locks": "/locks/",
        "one lock": f"/locks/show/?resource={made.resource}",
        "cache": "/cache/",
        "one entry": f"/cache/entry/?key={made.key}",
        "one namespace": f"/cache/namespace/?name={made.namespace}",
        "dead letters": "/dead-letters/",
        "workers": "/workers/",
        "schedules": "/schedules/",
        "activity": "/activity/",
    }


def sign_in() -> Any:
    """Return a client of somebody who may do everything."""
    from django.contrib.auth.models import Group, User
    from django.core.management import call_command
    from django.test import Client

    from dashboard.static_collection import collect_static_files

    call_command("migrate", verbosity=0)
    collect_static_files()
    import_module("dashboard.wsgi")  # it readies the process as a web process is
    user = User.objects.create_user("ana")
    user.groups.add(Group.objects.get(name="Admin"))
    client = Client(headers={"Accept-Encoding": "gzip"}, SERVER_NAME="localhost")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def choose_database(number: int) -> None:
    """Let all that follows speak with this database of the benchmark's server."""
    from django.conf import settings

    from jobs.connection import forget_connections
    from jobs.snapshots import forget_snapshots

    for queue in settings.RQ_QUEUES.values():
        queue["URL"] = f"{queue['URL'].rpartition('/')[0]}/{number}"
    forget_connections()
    forget_snapshots()


def measure_page(client: Any, pages: dict[int, str], rounds: int) -> tuple[Cost, tuple[float, float]]:
    """Return what the page costs in LARGE, and milliseconds in all and in the processor in EMPTY, once all is warm.

    `pages` are its paths in the two databases, which take turns, so that what else the machine does falls on both.
    """
    times: dict[int, list[tuple[float, float]]] = {EMPTY: [], LARGE: []}
    for _ in range(rounds):
        for database, path in pages.items():
            choose_database(database)
            assert client.get(path).status_code == OK, path
            times[database].append(_time(partial(client.get, path)))
    choose_database(LARGE)
    path = pages[LARGE]
    view = client.get(path)
    with watched() as seen:
        client.get(path)
    first = client.get(path, headers=POLL)
    asked = {**POLL, "HX-PTag": first.headers["HX-PTag"]}
    shared = [_time(lambda: client.get(path, headers=asked))[0] for _ in range(POLLS)]
    drawn = [_time_drawn(lambda: client.get(path, headers=asked)) for _ in range(POLLS)]
    empty, large = (tuple(map(statistics.median, zip(*times[each], strict=True))) for each in (EMPTY, LARGE))
    cost = Cost(
        *large,
        shared_ms=statistics.median(shared),
        drawn_ms=statistics.median(drawn),
        trips=seen.trips,
        commands=seen.commands,
        redis_ms=seen.redis_ms,
        slowest_ms=seen.slowest_ms,
        slowest=seen.slowest,
        size=len(view.content),
    )
    return cost, empty


def _time(ask: Callable[[], object]) -> tuple[float, float]:
    began, used = time.perf_counter(), time.process_time()
    ask()
    return (time.perf_counter() - began) * 1000, (time.process_time() - used) * 1000


def _time_drawn(ask: Callable[[], object]) -> float:
    """Time a poll that comes when no drawing is left."""
    from jobs.snapshots import LIFE

    time.sleep(1.1 * LIFE.total_seconds())
    return _time(ask)[0]


def weigh_assets(client: Any, path: str) -> int:
    """Return the bytes of all files that a page needs, as they are sent."""
    found, asked = [urljoin(path, each) for each in _list_assets(client.get(path))], {}
    while found:
        address = found.pop()
        if address not in asked:
            answer = client.get(address)
            asked[address] = sum(map(len, answer.streaming_content))
            if address.endswith(".css"):
                found += [
                    urljoin(address, each)
                    for each in _list_assets(client.get(address, headers={"Accept-Encoding": ""}))
                ]
    return sum(asked.values())


def _list_assets(answer: Any) -> list[str]:
    """Return the files that a page or a style sheet names."""
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    text = gzip.decompress(content) if answer.headers.get("Content-Encoding") == "gzip" else content
    return ASSET.findall(text.decode())
