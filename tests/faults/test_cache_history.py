"""Any order of reads, refreshes, crashes, invalidations and expiry: no reader gets a value older than it may be.

The source is a number that only grows. A refresh remembers the number as it began; whoever reads after an invalidation
must get a number at least as high as the source's at that moment, whoever fills, crashes or lags.
"""

from datetime import timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from jobs import caching, keys
from jobs.caching import RefreshFailed, markers
from jobs.caching.markers import Filling, Marker
from jobs.connection import store
from tests.faults.machines import walk

MINUTE = timedelta(minutes=1)
KEYS = ("report:1", "report:2")
GUARDS = (keys.cache_guard, lambda key: keys.cache_version(caching.namespace_of(key)), keys.cache, keys.refreshing)


class Cache(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        store().flushall()
        self.source = 0
        self.least = dict.fromkeys(KEYS, 0)
        self.under_way: list[tuple[Marker, int, str]] = []

    def change(self, *changed):
        """The data of these keys changes, as it does before each invalidation."""
        self.source += 1
        for key in changed:
            self.least[key] = self.source

    @rule(key=st.sampled_from(KEYS))
    def begin(self, key):
        try:
            marker = markers.begin(store(), key)
        except RefreshFailed:
            return
        if isinstance(marker, Marker):
            self.under_way.append((marker, self.source, "marker"))

    @rule(key=st.sampled_from(KEYS))
    def begin_as_a_job(self, key):
        token = f"{9_000_000_000_000_000 + len(self.under_way) + self.source * 1000}"
        marker = markers.begin(store(), key, by=f"job {token}", token=token)
        self.under_way.append((marker, self.source, "token"))

    @rule(which=st.integers(0, 9), fresh_ms=st.sampled_from([0, 60_000]))
    def end(self, which, fresh_ms):
        if self.under_way:
            marker, value, pin = self.under_way.pop(which % len(self.under_way))
            fresh_for = timedelta(milliseconds=fresh_ms)
            filling = Filling(marker.key, caching.namespace_of(marker.key), str(value), fresh_for, MINUTE)
            markers.fill(store(), marker, filling, took=timedelta(0), pin=pin)

    @rule(key=st.sampled_from(KEYS))
    def refresh(self, key):
        store().delete(keys.refreshing(key))
        self.begin(key)
        self.end(-1, 60_000)

    @rule(which=st.integers(0, 9))
    def fail(self, which):
        if self.under_way:
            marker, _, _ = self.under_way.pop(which % len(self.under_way))
            markers.give_up(store(), marker, failed="OSError", pause=timedelta(milliseconds=1))

    @rule(key=st.sampled_from(KEYS))
    def crash(self, key):
        """The lease of a refresher lapses, which may come back later and try to fill."""
        store().delete(keys.refreshing(key))

    @rule(key=st.sampled_from(KEYS))
    def expire(self, key):
        store().delete(keys.cache(key))

    @rule(key=st.sampled_from(KEYS))
    def outlive(self, key):
        """An entry beyond the thousand that a cleared namespace deletes stays until its time comes."""
        left_over = store().get(keys.cache(key))
        self.invalidate_namespace(caching.namespace_of(key))
        if left_over:
            store().set(keys.cache(key), left_over)
        self.read(key)

    @rule(key=st.sampled_from(KEYS), lost=st.sampled_from(GUARDS))
    def evict(self, key, lost):
        store().delete(lost(key))

    @rule(key=st.sampled_from(KEYS))
    def invalidate(self, key):
        self.change(key)
        caching.invalidate(key)

    @rule(namespace=st.just("report"))
    def clear(self, namespace):
        self.invalidate_namespace(namespace)

    def invalidate_namespace(self, namespace):
        self.change(*(key for key in KEYS if caching.namespace_of(key) == namespace))
        caching.invalidate_namespace(namespace)

    @rule(key=st.sampled_from(KEYS))
    def read(self, key):
        entry = caching.read(key)

        assert not entry.has_value or entry.value >= self.least[key]

    @rule(key=st.sampled_from(KEYS))
    def read_through(self, key):
        source = self.source
        try:
            entry = caching.get_or_refresh(key, lambda: source, fresh_for=MINUTE, wait=timedelta(0))
        except RefreshFailed:
            return

        assert entry.value >= self.least[key]


@pytest.mark.parametrize(
    ("examples", "steps"), [(80, 40), pytest.param(3_000, 60, marks=pytest.mark.chaos)], ids=["quick", "long"]
)
def test_no_reader_gets_a_value_older_than_it_may_be(examples, steps):
    walk(Cache, examples=examples, steps=steps)
