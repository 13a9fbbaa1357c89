"""All faults at once: kills, freezes, stops, a server that goes away, lost replies, people's hands and stock RQ."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.faults.lossy import LossyProxy
from tests.faults.run_history import breaches, figures
from tests.faults.storms import run_storm
from tests.faults.weather import Weather
from tests.faults.workload import KINDS

MANDOR = {"VISIBILITY_TIMEOUT": timedelta(seconds=2), "RETRY_BASE": timedelta(seconds=0.05), "MAX_CRASHES": 1000}
TEN_MINUTES = 600


@pytest.mark.parametrize(
    ("seconds", "absences"),
    [(8, [0, 1]), pytest.param(TEN_MINUTES, [0, 1, 3, 10, 60], marks=pytest.mark.chaos)],
    ids=["quick", "ten minutes"],
)
def test_nothing_is_lost_or_doubled_whatever_happens(place, own_server, tmp_path, seconds, absences):
    here = replace(place, url=own_server.url, mandor=MANDOR)
    proxy = LossyProxy(tmp_path, own_server.url.removeprefix("unix://").partition("?")[0])
    weather = Weather(here, own_server, proxy, absences)
    try:
        urls = [own_server.url, proxy.url]
        history = run_storm(here, weather.faults(seconds), urls=urls, kinds=KINDS, drain=150)
    finally:
        weather.close()
        proxy.close()

    print(f"{seconds} s: {figures(history)}")
    assert breaches(history) == []
