"""Signing in and out."""

import pytest
from django.test import Client

from tests.dashboard.conftest import SignIn, make_user


@pytest.fixture
def ann(db: None) -> None:
    user = make_user("viewer")
    user.set_password("correct horse")
    user.save()


def sign_in_with(client: Client, password: str, path: str = "/locks/"):
    return client.post("/accounts/login/", {"username": "viewer", "password": password, "next": path})


def test_the_right_password_leads_to_where_one_wanted_to_go(client: Client, ann: None):
    assert sign_in_with(client, "correct horse")["Location"] == "/locks/"


def test_nobody_is_led_to_another_site(client: Client, ann: None):
    assert sign_in_with(client, "correct horse", "https://evil.example/")["Location"] == "/"


def test_a_wrong_password_is_told_and_signs_nobody_in(client: Client, ann: None):
    answer = sign_in_with(client, "wrong")

    assert "do not match" in answer.content.decode()
    assert client.get("/").status_code == 302


def test_signing_out_takes_a_post_and_ends_the_session(sign_in: SignIn):
    client = sign_in("viewer")

    assert client.get("/accounts/logout/").status_code == 405
    assert client.post("/accounts/logout/")["Location"] == "/accounts/login/"
    assert client.get("/").status_code == 302


def test_too_many_wrong_passwords_lock_the_sign_in_for_a_while(client: Client, ann: None):
    for _ in range(10):
        answer = sign_in_with(client, "wrong")

    assert "Too many wrong passwords" in answer.content.decode()
    assert "Too many wrong passwords" in sign_in_with(client, "correct horse").content.decode()
