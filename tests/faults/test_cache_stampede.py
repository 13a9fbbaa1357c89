"""Many readers, one computation: cold, with a refresher that is killed, and with one that is slower than its lease."""

import json
from datetime import timedelta

from jobs import caching, keys
from jobs.caching import State, markers
from jobs.connection import store
from tests.faults.cache_readers import begin, readers, results
from tests.waiting import eventually

KEY = "report:42"
MINUTE = timedelta(minutes=1)


def test_four_processes_with_thirty_two_readers_each_compute_a_cold_key_once():
    with readers(0.3, 0.3, 0.3, 0.3, key=KEY, threads=32) as four:
        begin(*four)
        got = [result for reader in four for result in results(reader)]

    assert store().get("computed") == b"1"
    assert [value for value, _ in got] == [1] * 128
    assert sorted(outcome for _, outcome in got).count("computed") == 1


def test_a_killed_refresher_is_replaced_when_its_marker_lapses():
    with readers(60, 0, key=KEY) as (doomed, heir):
        begin(doomed)
        eventually(lambda: store().get("computed") == b"1")
        begin(heir)
        eventually(lambda: caching.read(KEY).state is State.REFRESHING)

        doomed.kill()
        doomed.wait()
        store().pexpire(keys.refreshing(KEY), 200)

        assert results(heir) == [[2, "computed"]]
    assert not store().exists(keys.refreshing(KEY))


def test_a_stale_value_is_served_while_its_refresher_lies_dead():
    marker = markers.begin(store(), KEY)
    filling = markers.Filling(KEY, "report", '"old"', timedelta(0), MINUTE)
    markers.fill(store(), marker, filling, took=timedelta(0), pin="marker")
    markers.begin(store(), KEY, by="a refresher that does nothing more")

    entry = caching.read(KEY)

    assert (entry.state, entry.value) == (State.REFRESHING, "old")
    eventually(lambda: caching.read(KEY).state is State.STALE)


def test_a_fill_whose_renewals_were_cut_is_refused_and_nobody_notices():
    with readers(1.5, 0, key=KEY) as (slow, quick):
        begin(slow)
        eventually(lambda: store().get("computed") == b"1")
        store().delete(keys.refreshing(KEY))

        begin(quick)

        assert results(quick) == [[2, "computed"]]
        assert results(slow) == [[1, "computed"]]
    assert json.loads(store().get(keys.cache(KEY)))["value"] == 2
