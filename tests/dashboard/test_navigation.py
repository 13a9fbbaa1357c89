"""The places on the left: in order, with what they count, red only where something is wrong."""

import re

from rq import Worker

from jobs import keys
from jobs.connection import store
from tests.dashboard.conftest import SignIn
from tests.factories import bury, enqueue

PLACES = ["Overview", "Queues", "Jobs", "Locks", "Cache", "Dead letters", "Workers", "Schedules", "Activity"]
PLACE = re.compile(r'<a id="place-([a-z-]+)".*?</a>', re.DOTALL)


def red(page: str) -> set[str]:
    return {match[1] for match in PLACE.finditer(page) if "count bad" in match[0]}


def look(sign_in: SignIn) -> str:
    return sign_in("operator").get("/activity/").content.decode()


def test_the_places_stand_in_their_order(sign_in: SignIn) -> None:
    page = look(sign_in)

    found = [re.sub(r"<[^>]*>", "", match[0]).split("\n")[1].strip() for match in PLACE.finditer(page)]

    assert found == PLACES


def test_nothing_is_red_while_all_is_well(sign_in: SignIn) -> None:
    Worker(["mail", "reports", "billing"], name="web-1", connection=store()).register_birth()
    enqueue()

    assert red(look(sign_in)) == set()


def test_jobs_that_nobody_takes_are_red_and_so_is_a_lack_of_workers(sign_in: SignIn) -> None:
    enqueue()

    page = look(sign_in)

    assert red(page) == {"queues", "workers"}
    assert "waiting, 1 queue without a worker" in page


def test_a_dead_letter_and_a_silent_worker_are_red(sign_in: SignIn) -> None:
    bury()
    Worker(["mail"], name="web-1", connection=store()).register_birth()
    store().sadd(keys.WORKERS, keys.worker("ended"))

    page = look(sign_in)

    assert red(page) == {"dead-letters", "workers"}
    assert "alive, 1 silent" in page


def test_scheduled_jobs_are_counted(sign_in: SignIn) -> None:
    (job_id,) = enqueue()
    store().zadd(keys.scheduled("mail"), {job_id: 4_000_000_000})
    store().hset(keys.job(job_id), "status", "scheduled")

    assert re.search(r'place-schedules".*?count" title="scheduled">1<', look(sign_in), re.DOTALL)
