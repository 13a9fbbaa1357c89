"""One of everything that the dashboard can show, and the path of each page that shows it."""

from datetime import timedelta

from rq import Worker
from rq.cron import CronScheduler

from jobs.connection import store
from jobs.discards import discard_job
from jobs.reads.states import DEAD, DISCARDED, IN_FLIGHT, WAITING
from jobs.resolutions import FINE
from tests.factories import LOCKED, MINUTE, bury, enqueue, fail_once, finish_cached, go_round, hold, park, see, start
from tests.past import remember
from tests.samples.jobs import echo

STUCK = "tenant/0f6c2d1e/accounts/ledger/2026-11/closing-of-the-books"
LISTS = ("/", "/queues/", "/locks/", "/cache/", "/dead-letters/", "/workers/", "/schedules/", "/activity/")
STATES = (WAITING, IN_FLIGHT, DEAD, DISCARDED)


def fill_every_page() -> list[str]:
    """Make one of everything; returns the paths of the pages, for somebody who may see all of them."""
    _remember_an_hour()
    dead = bury()
    _fill_cache()
    discard_job(see(bury()), by="ann")
    enqueue(text="fails")
    fail_once(start("mail"), delay=MINUTE)
    hold(STUCK, max_duration=timedelta(milliseconds=1))
    hold("report:42")
    parked = park()
    enqueue(LOCKED, report_id=7)
    in_flight = start("reports").job_id
    echo.enqueue_in(MINUTE)
    enqueue()
    _register()
    go_round("mail", "reports", "billing")
    jobs = (dead, parked, in_flight)
    return [*LISTS, *_details(dead), *(f"/jobs/?state={state}" for state in STATES), *(f"/jobs/{id_}/" for id_ in jobs)]


def _details(dead: str) -> tuple[str, ...]:
    return (
        "/queues/mail/",
        "/locks/show/?resource=report:42",
        f"/locks/show/?resource={STUCK}",
        "/cache/?namespace=report",
        "/cache/namespace/?name=report",
        "/cache/entry/?key=report:7",
        "/jobs/enqueue/",
        "/jobs/enqueue/?job=tests.samples.jobs.echo",
        f"/jobs/{dead}/edit/",
    )


def _fill_cache() -> None:
    enqueue("tests.samples.jobs.cached", report_id=7)
    finish_cached(start("reports"), '{"report": 7}')


def _register() -> None:
    Worker(["mail"], name="web-1", connection=store()).register_birth()
    scheduler = CronScheduler(connection=store(), name="cron-1")
    scheduler.register(echo.function, "mail", interval=3600)
    scheduler.register_birth()


def _remember_an_hour() -> None:
    for minutes in range(30, 0, -1):
        for queue in ("", "mail"):
            remember(queue, FINE, timedelta(minutes=minutes), waiting=minutes, in_flight=2, dead=1, finished=5)
