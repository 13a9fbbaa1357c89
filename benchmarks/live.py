"""What live pages cost: one tab and a hundred on the Overview, and how late an event shows on an open page.

`uv run python benchmarks/live.py`

Two web processes of eight threads; each tab asks every two seconds, at the beat that live.js keeps, and sends the tag
it has. Commands are those that the server counts, per second. A 304 is timed where it is asked for. An event is the
taking of a lock; it is seen when its name stands on the Locks page in Chromium, whose interval is two seconds.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from benchmarks.server import fresh_server

PORT = 7473
URL = f"http://127.0.0.1:{PORT}"
INTERVAL_S, SECONDS, APART_S = 2.0, 20.0, 0.25
EVENTS = 20
UNCHANGED = 304
HEADERS = {"HX-Request": "true", "HX-Request-Type": "partial"}


@contextmanager
def website() -> Iterator[str]:
    """Run the dashboard and yield the session of somebody who is signed in."""
    from django.contrib.auth.models import Group, User
    from django.core.management import call_command
    from django.test import Client

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("ana")
    user.groups.add(Group.objects.get(name="Admin"))
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    server = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "dashboard.wsgi", f"--bind=127.0.0.1:{PORT}", "--workers=2", "--threads=8",
         "--log-level=error", "--no-control-socket"],
        cwd=ROOT,
    )  # fmt: skip
    try:
        wait_for_website()
        yield client.cookies["sessionid"].value
    finally:
        server.terminate()
        server.wait()


def wait_for_website() -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            urllib.request.urlopen(f"{URL}/healthz", timeout=1).read()  # noqa: S310  our own address
        except OSError:
            assert time.monotonic() < deadline, "the website does not start"
            time.sleep(0.2)
        else:
            return


def fill() -> None:
    """Make what a small deployment has: 20 queues, jobs in each state, locks."""
    from tests.factories import bury, enqueue, finish, hold, start

    enqueue(count=500)
    for _ in range(20):
        finish(start("mail"))
        bury()
    for number in range(10):
        hold(f"report:{number}")


def ask(session: str, path: str, tag: str) -> tuple[int, str, float]:
    """Poll a page; return status, tag and milliseconds."""
    headers = {**HEADERS, "Cookie": f"sessionid={session}", "HX-PTag": tag}
    request = urllib.request.Request(URL + path, headers=headers)  # noqa: S310  our own address
    began = time.perf_counter()
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310  the same
            answer.read()
            status, tag = answer.status, answer.headers["HX-PTag"]
    except urllib.error.HTTPError as answer:
        status, tag = answer.code, answer.headers["HX-PTag"]
    return status, tag, (time.perf_counter() - began) * 1000


def count_commands() -> int:
    from jobs.connection import store

    return sum(int(each["calls"]) for each in store().info("commandstats").values())


def poll_with(tabs: int, session: str) -> tuple[float, Counter[int], list[float]]:
    """Let so many tabs poll; return Redis commands per second, statuses, and the milliseconds of the 304s."""
    statuses: Counter[int] = Counter()
    quiet: list[float] = []

    def be_a_tab() -> None:
        apart = random.uniform(0, APART_S)
        time.sleep(random.uniform(0, INTERVAL_S))
        tag, end = "", time.monotonic() + SECONDS
        while time.monotonic() < end:
            status, tag, took = ask(session, "/", tag)
            statuses[status] += 1
            if status == UNCHANGED:
                quiet.append(took)
            time.sleep(until_beat(apart))

    before, began = count_commands(), time.monotonic()
    threads = [threading.Thread(target=be_a_tab) for _ in range(tabs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (count_commands() - before) / (time.monotonic() - began), statuses, quiet


def until_beat(apart_s: float) -> float:
    wait_s = INTERVAL_S - (time.time() - apart_s) % INTERVAL_S
    return wait_s + INTERVAL_S if wait_s < INTERVAL_S / 2 else wait_s


def time_events(session: str) -> list[float]:
    """Return how many seconds after each event it stood on the open page."""
    from playwright.sync_api import sync_playwright

    from tests.factories import hold

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    late = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.context.add_cookies([{"name": "sessionid", "value": session, "url": URL}])
        page.goto(f"{URL}/locks/")
        for number in range(EVENTS):
            page.wait_for_timeout(random.uniform(0, INTERVAL_S * 1000))
            began = time.monotonic()
            hold(f"!event:{number}")
            page.get_by_text(f"!event:{number}", exact=True).first.wait_for(timeout=20_000)
            late.append(time.monotonic() - began)
        browser.close()
    return late


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def main() -> None:
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright runs a loop in this thread
    with tempfile.TemporaryDirectory(prefix="mandor-live-") as folder, fresh_server(Path(folder)), website() as session:
        fill()
        for tabs in (1, 100):
            commands, statuses, quiet = poll_with(tabs, session)
            shown = ", ".join(f"{count} of {status}" for status, count in sorted(statuses.items()))
            print(f"{tabs:>4} tabs: {commands:7.1f} commands/s; {shown}; ", end="")
            print(f"a 304 takes {statistics.median(quiet):.1f} ms, p95 {p95(quiet):.1f} ms" if quiet else "no 304")
        late = time_events(session)
        print(
            f"An event shows after {statistics.median(late):.2f} s, p95 {p95(late):.2f} s (interval {INTERVAL_S:g} s)"
        )


if __name__ == "__main__":
    main()
