"""The demo's jobs: each runs, and those that fail do it as they should."""

import time
from smtplib import SMTPServerDisconnected

import pytest

from jobs.demo import jobs
from jobs.logs import bind_job
from jobs.registry import CoordinatedJob
from jobs.retries import retry_job
from tests import factories

GO_WELL = [
    (jobs.send_mail, {"message_id": 7}),
    (jobs.send_newsletter, {"list_id": 1, "page": 2}),
    (jobs.post_payment, {"account_id": 3, "payment_id": 9}),
    (jobs.import_statement, {"file_id": 4}),
    (jobs.remind_customer, {"invoice_id": 5}),
    (jobs.build_report, {"report_id": 42}),
    (jobs.count_stock, {"warehouse_id": 3}),
]
FAIL_UNTIL_RETRIED = [
    (jobs.send_contract, {"contract_id": 8}, SMTPServerDisconnected),
    (jobs.charge_card, {"invoice_id": 5}, jobs.CardDeclined),
]


@pytest.fixture(autouse=True)
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let the jobs take no time; returns how long each would have slept."""
    naps: list[float] = []
    monkeypatch.setattr(time, "sleep", naps.append)
    return naps


@pytest.mark.parametrize(("job", "arguments"), GO_WELL, ids=lambda value: getattr(value, "name", ""))
def test_a_job_goes_well_within_its_time(job: CoordinatedJob, arguments: dict, naps: list[float]):
    assert job.compute(**arguments)

    assert 0 < sum(naps) < job.coordination.max_duration.total_seconds()


@pytest.mark.parametrize(("order_id", "failures"), [(6, 0), (7, 1), (8, 2)])
def test_a_receipt_fails_up_to_twice_and_then_goes_well(order_id: int, failures: int):
    for attempt in range(1, failures + 1):
        with bind_job(attempt=attempt), pytest.raises(SMTPServerDisconnected):
            jobs.send_receipt.compute(order_id=order_id)

    with bind_job(attempt=failures + 1):
        assert jobs.send_receipt.compute(order_id=order_id)


@pytest.mark.parametrize(
    ("job", "arguments", "error"), FAIL_UNTIL_RETRIED, ids=lambda value: getattr(value, "name", "")
)
def test_what_the_outside_refused_goes_well_once_a_person_retries_it(
    job: CoordinatedJob, arguments: dict, error: type[Exception]
):
    job_id = factories.bury(job.name, **arguments)
    with bind_job(job_id=job_id), pytest.raises(error):
        job.compute(**arguments)

    retry_job(factories.see(job_id), by="ann")

    with bind_job(job_id=job_id):
        assert job.compute(**arguments)


def test_an_export_has_a_bug():
    with pytest.raises(KeyError, match="country"):
        jobs.export_orders.compute(customer_id=1)


def test_a_forecast_takes_longer_than_it_may(naps: list[float]):
    jobs.forecast_sales.compute(region="north")

    assert sum(naps) > jobs.forecast_sales.coordination.max_duration.total_seconds()
