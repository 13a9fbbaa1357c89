"""The Overview."""

import pytest
from django.test import Client

from tests.dashboard.conftest import SignIn
from tests.factories import LOCKED, bury, claimant, enqueue, hold, start


def test_each_figure_links_to_what_it_counts(sign_in: SignIn):
    enqueue(count=3)
    bury()
    hold("report:42")

    page = sign_in("viewer").get("/").content.decode()

    for tile, link in [
        ("waiting", "/jobs/?state=waiting"),
        ("in-flight", "/jobs/?state=in_flight"),
        ("locks", "/locks/"),
        ("cache", "/cache/"),
        ("dead", "/dead-letters/"),
        ("workers", "/workers/"),
    ]:
        assert f'id="tile-{tile}" href="{link}"' in page


def test_the_newest_events_name_the_job(sign_in: SignIn):
    job_id = bury()

    page = sign_in("viewer").get("/").content.decode()

    assert "ValueError: no such address" in page
    assert f"/jobs/{job_id}/" in page


def test_queues_stand_worst_first(sign_in: SignIn):
    start_idle = claimant("reports")
    enqueue(LOCKED, report_id=1)
    start(by=start_idle)
    enqueue()

    page = sign_in("viewer").get("/").content.decode()

    assert page.index('id="queue-mail"') < page.index('id="queue-reports"')


@pytest.mark.parametrize("demo", [True, False])
def test_it_says_when_its_traffic_is_a_demo(sign_in: SignIn, settings, monkeypatch, demo: bool):
    monkeypatch.delenv("MANDOR_DEMO")
    settings.MANDOR = {"DEMO": demo}

    page = sign_in("viewer").get("/").content.decode()

    assert ("This is demo traffic" in page) is demo


def test_a_signed_out_person_goes_to_the_sign_in(client: Client, db: None):
    assert client.get("/").status_code == 302
