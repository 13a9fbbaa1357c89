from collections.abc import Iterator

import pytest
from django.db import connections

pytestmark = pytest.mark.django_db


def test_anybody_may_ask_and_all_is_well(client):
    answer = client.get("/healthz")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ok"}
    assert not answer.cookies
    assert client.head("/healthz").status_code == 200


def test_redis_away_is_503_and_named(client, store_away):
    answer = client.get("/healthz")

    assert answer.status_code == 503
    assert "redis" in answer.json()["away"]


@pytest.fixture
def database_away() -> Iterator[None]:
    """Let the database be a file in a folder that there is not."""
    there, away = connections["default"], connections.create_connection("default")
    away.settings_dict = {**away.settings_dict, "NAME": "/nowhere/mandor.sqlite3"}
    connections["default"] = away
    yield
    connections["default"] = there


def test_a_database_that_is_away_is_503_and_named(client, database_away):
    answer = client.get("/healthz")

    assert answer.status_code == 503
    assert answer.json()["away"] == ["database"]


def test_post_is_405(client):
    assert client.post("/healthz").status_code == 405
