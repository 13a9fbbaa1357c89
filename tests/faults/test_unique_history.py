"""Any order of calls, ends and discards: of one key one job runs and one waits, with the newest arguments."""

import json
import zlib
from datetime import timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from jobs import claims, keys, outcomes
from jobs.connection import store
from tests import factories
from tests.faults.machines import walk
from tests.samples.jobs import render

MINUTE = timedelta(minutes=1)
QUEUE = "reports"
PAGES = st.sampled_from([1, 2])
WAITING = {"queued", "scheduled"}


class Calls(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        store().flushall()
        self.version = 0
        self.newest = {}
        self.ids = {1: set(), 2: set()}
        self.running = []

    @rule(page=PAGES, delay=st.sampled_from([timedelta(0), MINUTE]))
    def enqueue(self, page, delay):
        self.version += 1
        enqueued = render.enqueue_in(delay, page=page, version=self.version)
        self.ids[page].add(enqueued.job_id)
        self.newest[page] = self.version

        assert enqueued.status == self.field(enqueued.job_id, "status")
        assert self.arguments(enqueued.job_id) == {"page": page, "version": self.version}

    @rule()
    def take(self):
        claim = claims.claim_next(store(), factories.claimant(QUEUE), claims.Request()).claim
        if claim:
            self.running.append(claim)

    @rule()
    def pass_time(self):
        """Whatever waits for a moment is due, and no lock is kept any longer for one that was woken."""
        store().delete(*(keys.reserved(f"page:{page}") for page in (1, 2)))
        for job_id in store().zrange(keys.scheduled(QUEUE), 0, -1):
            store().zadd(keys.scheduled(QUEUE), {job_id: 0})
        factories.go_round(QUEUE)

    @rule(page=PAGES)
    def discard(self, page):
        """A person throws away what waits."""
        for job_id in self.jobs(page, WAITING):
            store().lrem(keys.queue(QUEUE), 0, job_id)
            store().zrem(keys.scheduled(QUEUE), job_id)
            store().delete(keys.job(job_id))
            self.newest.pop(page, None)

    @rule(
        end=st.sampled_from(
            [
                factories.finish,
                lambda claim: factories.fail_once(claim, delay=MINUTE),
                factories.fail_once,
                lambda claim: outcomes.crash(store(), claim, text="killed"),
                lambda claim: outcomes.give_back(store(), claim),
                lambda claim: outcomes.stop(store(), claim),
            ]
        )
    )
    def end(self, end):
        if self.running:
            end(self.running.pop(0))

    @invariant()
    def one_runs_and_one_waits_with_the_newest_arguments(self):
        for page in (1, 2):
            waiting = self.jobs(page, WAITING)
            assert len(self.jobs(page, {"started"})) <= 1
            assert len(waiting) <= 1
            for job_id in waiting:
                assert self.arguments(job_id)["version"] == self.newest.get(page, self.arguments(job_id)["version"])

    def teardown(self):
        """Whatever happened, a new call runs in the end."""
        while self.running:
            factories.finish(self.running.pop())
        self.enqueue(1, timedelta(0))
        ran = []
        for _ in range(10):
            self.pass_time()
            self.take()
            if self.running:
                ran.append(self.arguments(self.running[0].job_id))
                factories.finish(self.running.pop())
        assert {"page": 1, "version": self.version} in ran

    def jobs(self, page, statuses):
        return [job_id for job_id in sorted(self.ids[page]) if self.field(job_id, "status") in statuses]

    def field(self, job_id, name):
        return (store().hget(keys.job(job_id), name) or b"").decode()

    def arguments(self, job_id):
        return json.loads(zlib.decompress(store().hget(keys.job(job_id), "data")))[3]


@pytest.mark.parametrize(
    ("examples", "steps"), [(40, 30), pytest.param(2_000, 60, marks=pytest.mark.chaos)], ids=["quick", "long"]
)
def test_of_one_key_one_job_runs_and_one_waits_with_the_newest_arguments(examples, steps):
    walk(Calls, examples=examples, steps=steps)
