"""Workers on three queues, told to stop under load at any instant: no job lost, none doubled, no attempt counted."""

import os
from datetime import timedelta
from functools import partial

import pytest

from tests.faults.blows import stop
from tests.faults.hands import Place
from tests.faults.run_history import History, breaches, figures
from tests.faults.storms import run_storm

SECONDS = (0, 0.005, 0.02, 0.05, 0.4)
MANDOR = {"VISIBILITY_TIMEOUT": timedelta(seconds=5), "RETRY_BASE": timedelta(seconds=0.05)}


def check(history: History) -> None:
    """Nobody crashed, nothing lapsed, and what did not come to its end was on a worker that was pressed."""
    assert breaches(history) == []
    assert not sum(record.crashes for record in history.records.values())
    assert not sum(counts["reclaimed"] for counts in history.counts.values())
    cut = [run for run in history.runs if run.ended is None and not run.raised]
    assert {run.worker for run in cut} <= history.struck


@pytest.mark.parametrize(
    ("rounds", "grace"),
    [(5, 0.03), *(pytest.param(75, grace, marks=pytest.mark.chaos) for grace in (0, 0.03))],
)
def test_workers_that_are_told_to_stop_lose_no_job_and_count_no_attempt(tmp_path, rounds, grace):
    place = Place(os.environ["REDIS_URL"], tmp_path, MANDOR | {"GRACE": timedelta(seconds=grace)})

    history = run_storm(place, [partial(stop, pressed=grace > 0)] * rounds, seconds=SECONDS)

    print(f"{rounds} stops: {figures(history)}")
    check(history)
