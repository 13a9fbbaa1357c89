"""The jobs of a small shop that does not exist: they take time, contend for locks, fill the cache and fail."""

import logging
import random
import time
from datetime import timedelta
from smtplib import SMTPServerDisconnected

from jobs import coordinated
from jobs.demo.attempts import current_attempt, retried_by_hand

SECOND = timedelta(seconds=1)
STATEMENT_PAGES = 8

log = logging.getLogger(__name__)


class CardDeclined(Exception):
    """The bank said no."""


def _work(shortest: float, longest: float) -> None:
    """Take a while, in seconds; mostly nearer to the shortest."""
    time.sleep(random.triangular(shortest, longest, shortest))  # noqa: S311  nothing to guess


def _figure(lowest: int, highest: int) -> int:
    return random.randint(lowest, highest)  # noqa: S311  nothing to guess


# Mail


@coordinated(queue="mail")
def send_mail(*, message_id: int) -> str:
    _work(0.03, 0.4)
    return f"message {message_id}: 250 OK"


@coordinated(queue="mail", resource="newsletter:{list_id}")
def send_newsletter(*, list_id: int, page: int) -> str:
    _work(1, 3)
    return f"list {list_id}, page {page}: 200 mails sent"


@coordinated(queue="mail", resource="order:{order_id}")
def send_receipt(*, order_id: int) -> str:
    _work(0.1, 0.5)
    if current_attempt() <= order_id % 3:
        message = "Connection unexpectedly closed"
        raise SMTPServerDisconnected(message)
    return f"receipt of order {order_id}: 250 OK"


@coordinated(queue="mail", retries=1)
def send_contract(*, contract_id: int) -> str:
    _work(0.1, 0.5)
    if not retried_by_hand():
        message = "please run connect() first"
        raise SMTPServerDisconnected(message)
    return f"contract {contract_id}: 250 OK"


# Billing


@coordinated(queue="billing", resource="account:{account_id}")
def post_payment(*, account_id: int, payment_id: int) -> str:
    _work(0.4, 2.5)
    return f"payment {payment_id} posted to account {account_id}"


@coordinated(queue="billing", resource="invoice:{invoice_id}", retries=1)
def charge_card(*, invoice_id: int) -> str:
    _work(0.2, 0.8)
    if not retried_by_hand():
        log.warning("the bank refused invoice %d", invoice_id)
        message = f"Invoice {invoice_id}: the bank declined the card (insufficient_funds)"
        raise CardDeclined(message)
    return f"invoice {invoice_id}: paid"


@coordinated(queue="billing", resource="statement:{file_id}", max_duration=60 * SECOND, slow_after=8 * SECOND)
def import_statement(*, file_id: int) -> str:
    for page in range(1, STATEMENT_PAGES + 1):
        _work(0.5, 2.5)
        log.info("file %d: page %d of %d read", file_id, page, STATEMENT_PAGES)
    return f"file {file_id}: 1,284 transactions"


@coordinated(queue="billing", resource="invoice:{invoice_id}")
def remind_customer(*, invoice_id: int) -> str:
    _work(0.05, 0.3)
    return f"invoice {invoice_id}: reminder sent"


# Reports


@coordinated(
    queue="reports",
    cache="report:{report_id}",
    fresh_for=8 * SECOND,
    stale_for=60 * SECOND,
    max_duration=20 * SECOND,
    slow_after=3 * SECOND,
)
def build_report(*, report_id: int) -> dict[str, int]:
    _work(1, 4)
    return {"report": report_id, "orders": _figure(800, 1200), "revenue": _figure(40_000, 60_000)}


@coordinated(queue="reports", resource="warehouse:{warehouse_id}")
def count_stock(*, warehouse_id: int) -> int:
    _work(0.2, 1.2)
    return _figure(1000, 9000) + warehouse_id


@coordinated(queue="reports", retries=1)
def export_orders(*, customer_id: int) -> str:
    _work(0.1, 0.4)
    customer = {"id": customer_id, "name": "Ann Example", "city": "Utrecht"}
    return f"{customer['id']};{customer['name']};{customer['country']}"


@coordinated(queue="reports", max_duration=2 * SECOND, retries=1)
def forecast_sales(*, region: str) -> str:
    _work(4, 6)
    return f"{region}: up"
