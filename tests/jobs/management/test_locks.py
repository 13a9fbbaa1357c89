"""`manage.py locks`: the locks from the command line."""

import json

import pytest
from django.core.management import CommandError, call_command

from jobs import keys
from jobs.connection import store
from tests import factories


def run(capsys, *arguments: str) -> str:
    call_command("locks", *arguments)
    return capsys.readouterr().out.rpartition("[info")[2]


def test_it_lists_and_shows_what_is_held(capsys):
    lease = factories.hold("report:42")
    job_id = factories.park()
    capsys.readouterr()

    assert "report:42" in run(capsys, "list")
    assert job_id in run(capsys, "show", "report:42")
    (row,) = json.loads(run(capsys, "list", "--json"))
    assert (row["resource"], row["token"]) == ("report:42", str(lease.token))


def test_it_releases_the_present_hold_with_who_and_why(capsys):
    factories.hold("report:42")

    run(capsys, "release", "report:42", "--as", "ana", "--reason", "hangs")

    assert store().hmget(keys.revoked("report:42"), "by", "reason") == [b"ana", b"hangs"]
    assert not store().exists(keys.lock("report:42"))


def test_it_releases_nothing_when_the_lock_has_changed_hands():
    factories.hold("report:42")

    with pytest.raises(CommandError, match="Nothing was released"):
        call_command("locks", "release", "report:42", "--token", "7", "--reason", "hangs")

    assert store().exists(keys.lock("report:42"))
