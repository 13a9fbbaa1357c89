"""django-rq's and rq-dashboard's pages for the same lists, each asked for in a process of its own.

Mind that theirs are also writes: RQ's counting calls clean registries up.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.dashboard_data import Made

PATIENCE_S, ROUNDS = 30, 3
OK = 200

DJANGO_RQ, RQ_DASHBOARD = "django-rq", "rq-dashboard"


def list_pages(made: "Made", queues: list[str]) -> dict[str, dict[str, str]]:
    """Return the paths of each peer by the page of ours that they stand beside."""
    place, name = queues.index(made.queue), made.queue
    lists = {"jobs, waiting": "queued", "dead letters": "failed", "jobs, finished": "finished"}
    ours = {"jobs, waiting": "", "dead letters": "failed/", "jobs, finished": "finished/"}
    return {
        DJANGO_RQ: {
            "queues": "/rq/",
            **{page: f"/rq/queues/{place}/{state}" for page, state in ours.items()},
            "a waiting job": f"/rq/queues/{place}/{made.waiting_job}/",
            "workers": f"/rq/workers/{place}/",
        },
        RQ_DASHBOARD: {
            "queues": "/0/data/queues.json",
            **{page: f"/0/data/jobs/{name}/{state}/50/dsc/1.json" for page, state in lists.items()},
            "a waiting job": f"/0/data/job/{made.waiting_job}.json",
            "workers": "/0/data/workers.json",
        },
    }


def print_peers(made: "Made", queues: list[str]) -> None:
    for peer, pages in list_pages(made, queues).items():
        print(f"\n{peer:22}{'ms':>8}{'CPU':>7}{'trips':>7}{'commands':>10}{'Redis ms':>10}{'KB':>6}  slowest")
        for page, path in pages.items():
            print(f"{page:22}{_ask_apart(peer, path, queues)}", flush=True)


def _ask_apart(peer: str, path: str, queues: list[str]) -> str:
    """Return the figures of one page as text, or how it failed."""
    command = [sys.executable, "-m", "benchmarks.dashboard_peers", peer, path, json.dumps(queues)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return f"  cut off after {PATIENCE_S} s"
    return done.stdout.rstrip("\n") if done.returncode == 0 else f"  {done.stderr.strip().splitlines()[-1][:100]}"


def _make_django_rq(queues: list[str]) -> Callable[[str], Any]:
    import django
    from django.conf import settings
    from django.urls import include, path

    apps = ("admin", "auth", "contenttypes", "sessions", "messages")
    templates = {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}
    processors = ("template.context_processors.request", "contrib.auth.context_processors.auth",
                  "contrib.messages.context_processors.messages")  # fmt: skip
    settings.configure(
        SECRET_KEY="of the benchmark",  # noqa: S106  nobody else's
        ALLOWED_HOSTS=["*"],
        INSTALLED_APPS=[*(f"django.contrib.{app}" for app in apps), "django_rq"],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        TEMPLATES=[templates | {"OPTIONS": {"context_processors": [f"django.{each}" for each in processors]}}],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        RQ_QUEUES={name: {"URL": os.environ["REDIS_URL"]} for name in queues},
        ROOT_URLCONF=__name__,
        STATIC_URL="static/",
        USE_TZ=True,
    )
    django.setup()
    from django.contrib import admin
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    globals()["urlpatterns"] = [path("rq/", include("django_rq.urls")), path("admin/", admin.site.urls)]
    call_command("migrate", verbosity=0)
    client = Client()
    client.force_login(User.objects.create_superuser("ana"))
    return client.get


def _make_rq_dashboard(_queues: list[str]) -> Callable[[str], Any]:
    import rq_dashboard
    from flask import Flask
    from rq_dashboard.web import setup_rq_connection

    app = Flask(__name__)
    app.config.from_object(rq_dashboard.default_settings)
    app.config["RQ_DASHBOARD_REDIS_URL"] = os.environ["REDIS_URL"]
    setup_rq_connection(app)
    app.register_blueprint(rq_dashboard.blueprint)
    return app.test_client().get


def measure(peer: str, path: str, queues: list[str]) -> str:
    """Return medians of a few views, and what one asks of Redis, as text."""
    import statistics

    from redis import Redis

    from benchmarks.dashboard_watch import watched

    get = {DJANGO_RQ: _make_django_rq, RQ_DASHBOARD: _make_rq_dashboard}[peer](queues)
    with watched(Redis.from_url(os.environ["REDIS_URL"])) as seen:
        answer = get(path)
    assert answer.status_code == OK, f"{path} answered {answer.status_code}"
    times = []
    for _ in range(ROUNDS):
        began, used = time.perf_counter(), time.process_time()
        get(path)
        times.append(((time.perf_counter() - began) * 1000, (time.process_time() - used) * 1000))
    took, processor = (statistics.median(column) for column in zip(*times, strict=True))
    size = len(getattr(answer, "content", None) or answer.data) / 1000
    return (
        f"{took:8.1f}{processor:7.1f}{seen.trips:7,}{seen.commands:10,}{seen.redis_ms:10.1f}{size:6.1f}"
        f"  {seen.slowest} {seen.slowest_ms:.1f}"
    )


if __name__ == "__main__":
    print(measure(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))
