"""One URL, two answers: the page for a browser, the region for a poll, 304 while nothing changed."""

from django.http import HttpResponse
from django.test import Client

from dashboard.htmx import polling_tag
from jobs import locks
from tests.dashboard.conftest import SignIn, poll
from tests.factories import hold
from tests.waiting import eventually

PATH = "/locks/"


def test_a_browser_gets_the_page_and_a_poll_its_region(sign_in: SignIn):
    client = sign_in("viewer")

    page, region = client.get(PATH), poll(client, PATH)

    assert "<!doctype html>" in page.content.decode()
    assert 'id="locks-table"' in page.content.decode()
    assert "<!doctype html>" not in region.content.decode()
    assert 'id="locks-table"' in region.content.decode()


def test_a_boosted_link_a_restored_page_and_a_selection_of_the_page_get_the_page(sign_in: SignIn):
    client = sign_in("viewer")
    asks = [
        {"HX-Boosted": "true", "HX-Request-Type": "partial"},
        {"HX-History-Restore-Request": "true"},
        {"HX-Request-Type": "full"},
    ]

    answers = [client.get(PATH, headers={"HX-Request": "true", **headers}) for headers in asks]

    assert all("<!doctype html>" in answer.content.decode() for answer in answers)


def test_a_quiet_page_is_a_string_of_304s_though_its_clocks_tick(sign_in: SignIn):
    hold("report:42")
    client = sign_in("admin")
    tag = client.get(PATH)["HX-PTag"]

    first = poll(client, PATH, tag)

    def later() -> HttpResponse | None:
        answer = poll(client, PATH, tag)
        return answer if answer["Mandor-Now"] > first["Mandor-Now"] else None

    assert [first.status_code, eventually(later).status_code] == [304, 304]


def test_a_change_is_answered_with_the_region_the_counts_and_another_tag(sign_in: SignIn):
    client = sign_in("viewer")
    tag = client.get(PATH)["HX-PTag"]
    hold("report:42")

    answer = poll(client, PATH, tag)

    assert answer.status_code == 200
    assert answer["HX-PTag"] != tag
    assert "report:42" in answer.content.decode()
    assert 'hx-target="#places"' in answer.content.decode()


def test_the_tag_is_blind_to_clocks_only():
    drawn = '<time datetime="12:30" data-clock="since" title="x">4 s</time>'
    later = '<time datetime="12:30" data-clock="since" title="x">9 s</time>'

    assert polling_tag(drawn) == polling_tag(later)
    assert polling_tag(drawn) != polling_tag(drawn.replace("12:30", "12:31"))
    assert polling_tag("<b>4</b>") != polling_tag("<b>5</b>")


def test_the_tag_is_blind_to_how_far_a_bar_is():
    drawn = '<meter class="meter" data-clock="since" data-since="12:30" max="60" value="4.1"></meter>'

    assert polling_tag(drawn) == polling_tag(drawn.replace("4.1", "5.2"))


def test_a_poll_of_a_person_who_signed_out_reloads_the_page(client: Client, db: None):
    answer = poll(client, PATH)

    assert answer.status_code == 401
    assert answer["HX-Refresh"] == "true"


def test_a_page_is_never_kept_by_a_cache(sign_in: SignIn):
    answer = sign_in("viewer").get(PATH)

    assert answer["Cache-Control"] == "no-store"
    assert "HX-Request" in answer["Vary"]


def test_a_lock_that_is_renewed_is_a_change(sign_in: SignIn):
    lease, client = hold("report:42"), sign_in("viewer")
    tag = client.get(PATH)["HX-PTag"]

    locks.renew(lease)

    assert poll(client, PATH, tag).status_code == 200
