"""Entries of Activity are only ever added."""

import pytest

from dashboard.models import ActivityEntry
from dashboard.models.activity import AppendOnly


@pytest.fixture
def entry(db: None) -> ActivityEntry:
    return ActivityEntry.objects.create(who="ann", action="release_lock", target="report:42", outcome="done")


def test_an_entry_is_never_changed(entry: ActivityEntry):
    entry.who = "bob"

    with pytest.raises(AppendOnly):
        entry.save()
    with pytest.raises(AppendOnly):
        ActivityEntry.objects.update(who="bob")
    assert ActivityEntry.objects.get().who == "ann"


def test_an_entry_is_never_deleted(entry: ActivityEntry):
    with pytest.raises(AppendOnly):
        entry.delete()
    with pytest.raises(AppendOnly):
        ActivityEntry.objects.filter(who="ann").delete()
    assert ActivityEntry.objects.exists()
