import logging
from collections.abc import Iterator

import pytest
from django.test import Client

from tests.dashboard.conftest import SignIn


@pytest.fixture
def written() -> Iterator[list[logging.LogRecord]]:
    """Return what the request's logger let through."""
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    yield records
    logging.getLogger().removeHandler(handler)


def requests(records: list[logging.LogRecord]) -> list[tuple[str, int]]:
    events = [record.msg for record in records if isinstance(record.msg, dict)]
    return [(event["request"], event["code"]) for event in events if event["event"] == "request_finished"]


def test_a_request_that_writes_has_one_line(client: Client, db: None, written: list[logging.LogRecord]) -> None:
    client.post("/accounts/logout/")

    assert requests(written) == [("POST /accounts/logout/", 302)]
    assert [record for record in written if "POST" in str(record.msg)] == written


def test_one_that_goes_wrong_has_one_line(client: Client, db: None, written: list[logging.LogRecord]) -> None:
    client.get("/nowhere/")

    assert requests(written) == [("GET /nowhere/", 404)]
    assert len(written) == 1


@pytest.mark.usefixtures("db", "store_away")
def test_an_answer_that_is_503_has_one_line(client: Client, written: list[logging.LogRecord]) -> None:
    client.get("/healthz")

    assert requests(written) == [("GET /healthz", 503)]
    assert len(written) == 1


def test_looking_leaves_no_line(sign_in: SignIn, written: list[logging.LogRecord]) -> None:
    client = sign_in("viewer")

    client.get("/queues/")
    client.head("/healthz")

    assert written == []
