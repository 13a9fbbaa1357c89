"""Charts: tables behind drawings, asked for apart from the page, and drawn in the browser."""

from datetime import timedelta

import pytest
from django.test import Client
from playwright.sync_api import expect

from jobs.durations import PLACES
from jobs.reads.chart_ranges import FEWEST
from jobs.resolutions import FINE, MINUTES
from tests.dashboard.conftest import OpenAs, SignIn, poll
from tests.factories import enqueue
from tests.past import remember, remember_durations

MINUTE = timedelta(minutes=1)
URLS = ["/charts/", "/queues/mail/charts/", "/cache/charts/"]
PAGES = {"/": 6, "/queues/mail/": 6, "/cache/": 2}


def rows(answer: str, chart: str) -> list[list[str]]:
    """Return the cells of a chart's table, newest first, without the time."""
    body = answer.partition(f'id="chart-{chart}-table"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
    return [[cell.partition("</td>")[0] for cell in row.split("<td>")[1:]] for row in body.split("<tr>")[1:]]


def ask(client: Client, path: str, tag: str = "") -> str:
    return poll(client, path, tag).content.decode()


def remember_an_hour() -> None:
    for queue in ("", "mail"):
        remember(queue, FINE, 10 * MINUTE, waiting=7, oldest=90, in_flight=1, dead=0)
        remember(
            queue, FINE, timedelta(seconds=15), waiting=4, oldest=0, in_flight=2, dead=1, locks=2, waited_for=1,
            finished=3, failed=1, hits=6, stale=1, misses=1, over=10_000,
        )  # fmt: skip
        remember_durations(queue, FINE, timedelta(seconds=15), {PLACES.index("ran_le_100"): 4})


@pytest.mark.parametrize("path", URLS)
def test_a_poll_gets_the_charts_and_then_304_until_there_is_a_newer_sample(sign_in: SignIn, path: str):
    client = sign_in("viewer")
    remember("", FINE, timedelta(seconds=20), waiting=1)

    first = poll(client, path)
    again = poll(client, path, first["HX-PTag"])
    remember("", FINE, timedelta(0), waiting=1)
    later = poll(client, path, first["HX-PTag"])

    assert (first.status_code, again.status_code, later.status_code) == (200, 304, 200)
    assert first.content.decode().lstrip().startswith("<nav")
    assert later["HX-PTag"] != first["HX-PTag"]


def test_the_figures_of_a_queue_stand_in_its_tables_and_gaps_are_empty(sign_in: SignIn):
    remember_an_hour()

    page = ask(sign_in("viewer"), "/queues/mail/charts/")

    jobs, ended, ran = rows(page, "jobs"), rows(page, "ended"), rows(page, "ran")
    assert ["4", "2"] in jobs[:2]
    assert ["7", "1"] in jobs
    assert jobs.count(["", ""]) == len(jobs) - 2
    assert ["18", "6"] in ended[:2]
    assert ["0.085", "0.099", "0.1"] in ran[:2]
    assert len(jobs) == len(ended) == len(ran) >= FEWEST


def test_the_overview_has_a_line_for_each_queue(sign_in: SignIn):
    enqueue()
    remember_an_hour()

    page = ask(sign_in("viewer"), "/charts/")

    assert ["4", "", ""] in rows(page, "waiting")[:2]
    assert ["24", "", ""] in rows(page, "throughput")[:2]
    assert ["36", "6", "6"] in rows(page, "reads")[:2]
    assert ["2", "1"] in rows(page, "locks")[:2]


def test_the_cache_page_has_the_ratio(sign_in: SignIn):
    remember_an_hour()

    assert ["75"] in rows(ask(sign_in("viewer"), "/cache/charts/"), "ratio")[:2]


def test_the_range_in_the_address_chooses_the_resolution(sign_in: SignIn):
    remember("mail", FINE, MINUTE, waiting=1)
    remember("mail", MINUTES, timedelta(hours=5), waiting=9)
    client = sign_in("viewer")

    hour, day, odd = (ask(client, f"/queues/mail/charts/?range={name}") for name in ("1h", "24h", "odd"))

    assert ["1", ""] in rows(hour, "jobs")
    assert ["9", ""] in rows(day, "jobs")
    assert 'href="?range=24h" aria-current="true"' in day
    assert rows(odd, "jobs") == rows(hour, "jobs")


def test_the_page_itself_holds_their_place_and_reads_none(sign_in: SignIn):
    remember_an_hour()

    page = sign_in("viewer").get("/?range=24h").content.decode()

    assert 'hx-get="/charts/?range=24h"' in page
    assert rows(page, "waiting") == []


def test_a_queue_that_nobody_knows_has_none(sign_in: SignIn):
    assert sign_in("viewer").get("/queues/nobody/charts/").status_code == 404


@pytest.mark.parametrize("path", URLS)
def test_a_signed_out_person_goes_to_the_sign_in(client: Client, db: None, path: str):
    assert client.get(path).url.startswith("/accounts/login/")


@pytest.mark.browser
@pytest.mark.parametrize("path", PAGES)
def test_charts_are_drawn_and_their_figures_can_be_read(open_as: OpenAs, path: str):
    remember_an_hour()
    page = open_as("viewer", path)
    expect(page.locator(".plot canvas")).to_have_count(PAGES[path])

    page.locator(".chart summary").first.click()

    assert page.locator(".chart table").first.is_visible()
    assert page.locator(".chart tbody tr").first.is_visible()


@pytest.mark.browser
def test_a_newer_sample_moves_the_lines_and_keeps_the_drawing_and_the_open_table(open_as: OpenAs):
    remember_an_hour()
    page = open_as("viewer", "/queues/mail/")
    canvas = page.wait_for_selector("#chart-jobs-plot canvas")
    page.click("#chart-jobs-summary")

    remember("mail", FINE, timedelta(0), waiting=55, in_flight=1)
    remember("", FINE, timedelta(0), waiting=55)
    page.evaluate("htmx.trigger(document.getElementById('charts'), 'mandor:charts')")

    expect(page.locator("#chart-jobs-key")).to_contain_text("55")
    assert canvas.evaluate("canvas => canvas.isConnected")
    assert page.locator("#chart-jobs-table").is_visible()


@pytest.mark.browser
def test_drawing_moves_nothing(open_as: OpenAs):
    remember_an_hour()
    page = open_as("viewer", "/queues/mail/")
    before = page.locator("#region > :last-child").bounding_box()

    page.wait_for_selector("#chart-dead-plot canvas")

    assert page.locator("#region > :last-child").bounding_box() == before


@pytest.mark.browser
def test_without_javascript_the_figures_are_a_link_away(open_without_javascript: OpenAs):
    remember_an_hour()
    page = open_without_javascript("viewer", "/queues/mail/?range=1h")
    expect(page.locator("#chart-jobs")).to_be_hidden()
    expect(page.locator("#theme")).to_be_hidden()

    page.get_by_role("link", name="The figures of the charts as tables").click()
    page.click("#chart-jobs-summary")

    assert page.url.endswith("/queues/mail/charts/?range=1h")
    assert page.locator("#chart-jobs-table tbody tr").first.is_visible()
