"""Workers on three queues, killed under load at any instant: no job lost, none doubled."""

import os
from datetime import timedelta

import pytest

from tests.faults.blows import kill
from tests.faults.hands import Place
from tests.faults.run_history import breaches, figures
from tests.faults.storms import run_storm

MANDOR = {"VISIBILITY_TIMEOUT": timedelta(seconds=2), "RETRY_BASE": timedelta(seconds=0.05), "MAX_CRASHES": 1000}


@pytest.mark.parametrize("rounds", [5, pytest.param(150, marks=pytest.mark.chaos)])
def test_killed_workers_lose_no_job_and_double_none(tmp_path, rounds):
    place = Place(os.environ["REDIS_URL"], tmp_path, MANDOR)

    history = run_storm(place, [kill] * rounds)

    print(f"{rounds} kills: {figures(history)}")
    assert breaches(history) == []
