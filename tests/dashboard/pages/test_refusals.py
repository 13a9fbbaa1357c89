"""What is answered in place of a page."""

from django.test import Client

from tests.dashboard.conftest import SignIn


def test_what_is_not_there_is_told_in_the_frame(sign_in: SignIn):
    answer = sign_in("viewer").get("/nothing/here/")

    assert answer.status_code == 404
    assert 'id="place-queues"' in answer.content.decode()


def test_a_page_says_in_its_own_words_what_is_not_there(sign_in: SignIn):
    assert "Nothing is known of a job abc" in sign_in("viewer").get("/jobs/abc/").content.decode()


def test_a_form_without_its_token_is_refused_in_plain_words(sign_in: SignIn):
    client = Client(enforce_csrf_checks=True)
    client.cookies = sign_in("admin").cookies

    answer = client.post("/locks/release/", {"resource": "report:42", "token": "1"})

    assert answer.status_code == 403
    assert "This form has expired" in answer.content.decode()
