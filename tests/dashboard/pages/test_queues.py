"""The Queues page, and each queue's own."""

import pytest
from django.urls import reverse
from django.utils.html import escape

from jobs import keys
from jobs.connection import store
from jobs.names import exact, sent, written
from tests.dashboard.conftest import SignIn
from tests.factories import bury, enqueue


def test_a_queue_shows_its_figures_as_links_to_the_jobs_they_count(sign_in: SignIn) -> None:
    enqueue(count=3)
    bury()

    page = sign_in("viewer").get("/queues/").content.decode()

    assert 'id="queue-mail-waiting" href="/jobs/?state=waiting&amp;queue=mail">3</a>' in page
    assert 'id="queue-mail-dead" href="/jobs/?state=dead&amp;queue=mail">1</a>' in page
    assert "No worker listens" in page


def test_a_paused_queue_says_by_whom(sign_in: SignIn) -> None:
    store().hset(keys.paused("mail"), mapping={"by": "ana", "at": 1})

    assert "Paused by ana" in sign_in("viewer").get("/queues/").content.decode()


def test_a_queues_own_page_counts_its_jobs_by_state(sign_in: SignIn) -> None:
    enqueue(count=2)

    page = sign_in("viewer").get("/queues/mail/").content.decode()

    assert 'id="figure-waiting" href="/jobs/?state=waiting&amp;queue=mail">2</a>' in page


def test_a_queue_nobody_knows_is_not_found(sign_in: SignIn) -> None:
    answer = sign_in("viewer").get("/queues/none/")

    assert answer.status_code == 404
    assert "a queue none" in answer.content.decode()


NAMES = ["a b/c?d&e", "<script>", "Zürich", "x" * 300, "a/pause", "..", "🦊", " a  b ", "a\n\u202eb", b"\xff", "a\\b"]


@pytest.mark.parametrize("name", NAMES)
def test_a_queue_of_any_name_has_a_row_and_a_page(sign_in: SignIn, name: str | bytes) -> None:
    shown = written(name)
    store().sadd(keys.QUEUES, sent(keys.queue(exact(shown))))
    store().rpush(sent(keys.queue(exact(shown))), "1", "2", "3")
    client = sign_in("admin")

    rows = client.get("/queues/").content.decode()
    page = client.get(reverse("mandor:queue", args=[shown]))

    assert escape(reverse("mandor:queue", args=[shown])) in rows
    assert page.status_code == 200
    assert ">3</a>" in page.content.decode()
    assert "<script>" not in rows
