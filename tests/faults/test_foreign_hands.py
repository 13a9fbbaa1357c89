"""Stock RQ on the same queues at the same time: its worker, its scheduler and its commands lose and double nothing."""

from dataclasses import replace

from jobs.connection import store
from tests.faults.hands import start_stock_scheduler
from tests.faults.run_history import breaches
from tests.faults.storms import run_storm
from tests.faults.weather import let_stock_worker_in, look_and_requeue
from tests.waiting import eventually


def test_stock_rq_beside_mandor_loses_and_doubles_nothing(place):
    here = replace(place, mandor=place.mandor | {"RETRY_BASE": place.mandor["VISIBILITY_TIMEOUT"] / 20})
    scheduler = start_stock_scheduler(here)
    try:
        eventually(lambda: store().exists("rq:scheduler-lock:mail"))
        history = run_storm(here, [look_and_requeue, let_stock_worker_in])
    finally:
        scheduler.kill()
        scheduler.join()

    assert any(record.foreign for record in history.records.values())
    assert breaches(history) == []
