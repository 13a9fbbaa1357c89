"""The workers, what they run, and the upkeep."""

import math
import time
from datetime import UTC, datetime, timedelta

import pytest
from rq import Worker
from rq.utils import utcformat

from jobs import keys
from jobs.claims import Claimant
from jobs.connection import store
from jobs.reads import named_records, worker_beats
from jobs.reads.trips import Trip
from jobs.reads.worker_beats import BeatsQuestion
from jobs.reads.workers import BusyWorker, list_workers
from tests.factories import claimant, enqueue, start


def register(**fields: str | int) -> Claimant:
    by = claimant("mail")
    Worker(["mail"], name=by.name, connection=store()).register_birth()
    if fields:
        store().hset(keys.worker(by.name), mapping=fields)
    return by


def only_worker() -> BusyWorker:
    (row,) = list_workers().workers
    return row


def test_a_worker_says_where_it_runs_and_is_alive():
    by = register()

    worker = only_worker().worker

    assert worker.name == by.name
    assert worker.queues == ("mail",)
    assert worker.label.endswith(f":{by.pid}")
    assert worker.verdict == "alive"


def test_a_busy_worker_names_its_job_and_since_when():
    by = register()
    enqueue()
    claim = start(by=by)

    (job,) = only_worker().jobs

    assert (job.id, job.name) == (claim.job_id, "tests.samples.jobs.echo")
    assert job.since is not None
    assert not job.long_running


def test_a_job_past_its_threshold_is_long_running():
    by = register()
    enqueue()
    claim = start(by=by)
    store().hset(keys.job(claim.job_id), "m_slow", 1)
    store().hset(keys.execution(f"{claim.job_id}:{claim.execution_id}"), "created_at", time.time() - 1)

    assert only_worker().jobs[0].long_running


def test_a_worker_is_late_after_two_heartbeats_and_gone_after_three():
    heard = utcformat(datetime.now(UTC) - timedelta(seconds=25))
    register(m_visibility=30_000, last_heartbeat=heard)
    assert only_worker().worker.verdict == "late"

    store().hset(keys.worker(only_worker().worker.name), "m_visibility", 20_000)
    assert only_worker().worker.verdict == "gone"


def test_a_worker_whose_record_ended_is_listed_as_gone():
    store().sadd(keys.WORKERS, keys.worker("ended"))

    assert only_worker().worker.gone


def test_the_version_that_most_do_not_have_is_odd():
    for version in ("2", "2", "1"):
        register(m_version=version)

    assert sorted((row.worker.version, row.odd) for row in list_workers().workers) == [
        ("1", True),
        ("2", False),
        ("2", False),
    ]


def test_the_upkeep_names_its_leader_and_when_it_last_ran():
    store().set(keys.LEADER, "mandor:web-1")
    store().hset(keys.UPKEEP, mapping={"leader": "mandor:web-1", "at": 1_700_000_000_000, "moves": 1})

    upkeep = list_workers().upkeep

    assert (upkeep.leader, upkeep.leads, upkeep.moves) == ("web-1", True, True)
    assert upkeep.at == datetime.fromtimestamp(1_700_000_000, UTC)


def test_nobody_leads_once_the_office_lapsed():
    store().hset(keys.UPKEEP, mapping={"leader": "mandor:web-1", "at": 1})

    assert not list_workers().upkeep.leads


@pytest.mark.parametrize("denied", [False, True], ids=["at once", "each"])
def test_all_workers_are_read_at_once_and_each_by_itself_where_that_is_denied(monkeypatch, denied):
    monkeypatch.setattr(named_records, "_refused_until", {store().connection_pool: math.inf} if denied else {})
    monkeypatch.setattr(named_records, "PART", 1)
    monkeypatch.setattr(worker_beats, "MOST", 2)
    by, ended = register(m_version="2", state="busy"), keys.worker("ended")
    store().sadd(keys.WORKERS, ended)
    question, trip = BeatsQuestion(), Trip()

    question.ask(trip)
    trip.go()
    beats = question.answer(datetime.now(UTC))

    assert trip.asks_something is not denied
    assert [(beat.name, beat.queues, beat.version, beat.busy, beat.verdict) for beat in beats] == sorted(
        [
            (by.name, ("mail",), "2", True, "alive"),
            ("ended", (), "", False, "gone"),
        ]
    )
