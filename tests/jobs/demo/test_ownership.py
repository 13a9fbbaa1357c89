import pytest
from django.conf import settings

from jobs.connection import store
from jobs.demo.ownership import NotOurs, claim_server


def test_an_empty_server_becomes_the_demos_own() -> None:
    claim_server(settings.REDIS_URL)
    store().set("made by the demo", 1)

    claim_server(settings.REDIS_URL)


def test_a_server_with_other_data_is_left_alone() -> None:
    store().set("somebody's", 1)

    with pytest.raises(NotOurs, match="empty or its own"):
        claim_server(settings.REDIS_URL)

    assert store().keys() == [b"somebody's"]
