"""What the tests of the reads share."""

import pytest

from jobs.connection import store


@pytest.fixture
def round_trips(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by one with each round trip of a read from now on."""
    trips: list[int] = []
    pipeline = type(store().pipeline())
    execute = pipeline.execute
    monkeypatch.setattr(pipeline, "execute", lambda self, **options: trips.append(1) or execute(self, **options))
    return trips
