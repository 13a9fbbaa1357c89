"""The Workers page."""

from rq import Worker

from jobs import keys
from jobs.connection import store
from tests.dashboard.conftest import SignIn
from tests.factories import claimant, enqueue, start


def test_a_worker_shows_what_it_runs(sign_in: SignIn) -> None:
    by = claimant("mail")
    Worker(["mail"], name=by.name, connection=store()).register_birth()
    enqueue()
    claim = start(by=by)

    page = sign_in("viewer").get("/workers/").content.decode()

    assert f'href="/jobs/{claim.job_id}/" title="tests.samples.jobs.echo">echo</a>' in page
    assert "1 at work" in page


def test_a_worker_that_went_silent_is_marked(sign_in: SignIn) -> None:
    store().sadd(keys.WORKERS, keys.worker("ended"))

    page = sign_in("viewer").get("/workers/").content.decode()

    assert "1 silent" in page


def test_it_says_who_does_the_upkeep(sign_in: SignIn) -> None:
    client = sign_in("viewer")
    assert "Nobody leads" in client.get("/workers/").content.decode()

    store().set(keys.LEADER, "mandor:web-1")

    assert "In office" in client.get("/workers/").content.decode()
