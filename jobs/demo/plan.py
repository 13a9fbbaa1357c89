"""What the demo's traffic consists of: who asks for what, how often, and when first. The same seed, the same plan."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from heapq import heapify, heappop, heappush
from random import Random
from typing import Any

from jobs.demo import jobs
from jobs.registry import CoordinatedJob

SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
POPULAR_REPORTS = (42, 42, 42, 42, 7, 7, 12)
REGIONS = ("north", "south", "east", "west")


class Verb(StrEnum):
    """What is done with a job."""

    ENQUEUE = "enqueue"
    LATER = "later"
    READ = "read"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Flow:
    """One kind of request: `burst` calls about every `every`, from `first` on; `endpoint` is made of the arguments."""

    verb: Verb
    job: CoordinatedJob[..., Any]
    endpoint: str
    arguments: Callable[[Random], dict[str, Any]]
    every: timedelta
    first: timedelta = SECOND
    burst: int = 1


@dataclass(frozen=True, slots=True)
class Call:
    """One request, `at` after the start; `delay` is for what is enqueued for later."""

    at: timedelta
    verb: Verb
    job: CoordinatedJob[..., Any]
    arguments: dict[str, Any]
    endpoint: str
    delay: timedelta


def _one(name: str, first: int, last: int) -> Callable[[Random], dict[str, Any]]:
    return lambda chance: {name: chance.randint(first, last)}


def _popular_report(chance: Random) -> dict[str, Any]:
    return {"report_id": chance.choice(POPULAR_REPORTS)}


FLOWS: Sequence[Flow] = (
    Flow(
        Verb.READ,
        jobs.build_report,
        "GET /reports/{report_id}/",
        _popular_report,
        every=SECOND,
    ),
    Flow(
        Verb.READ,
        jobs.build_report,
        "GET /reports/{report_id}/",
        _one("report_id", 100, 130),
        every=40 * SECOND,
    ),
    Flow(
        Verb.CHANGED,
        jobs.build_report,
        "POST /orders/",
        _popular_report,
        every=30 * SECOND,
        first=20 * SECOND,
    ),
    Flow(
        Verb.ENQUEUE,
        jobs.send_mail,
        "POST /messages/",
        _one("message_id", 1, 9999),
        every=1.5 * SECOND,
    ),
    Flow(
        Verb.ENQUEUE,
        jobs.send_receipt,
        "POST /orders/{order_id}/pay/",
        _one("order_id", 1, 9999),
        every=9 * SECOND,
    ),
    Flow(
        Verb.ENQUEUE,
        jobs.send_newsletter,
        "POST /newsletters/{list_id}/",
        lambda chance: {"list_id": 1, "page": chance.randint(1, 40)},
        every=40 * SECOND,
        first=4 * SECOND,
        burst=3,
    ),
    Flow(
        Verb.ENQUEUE,
        jobs.post_payment,
        "POST /payments/",
        lambda chance: {"account_id": chance.choice((3, 8)), "payment_id": chance.randint(1, 9999)},
        every=20 * SECOND,
        first=2 * SECOND,
        burst=3,
    ),
    Flow(
        Verb.ENQUEUE,
        jobs.count_stock,
        "manage.py stock",
        _one("warehouse_id", 1, 5),
        every=6 * SECOND,
    ),
    Flow(
        Verb.ENQUEUE,
        jobs.import_statement,
        "POST /statements/",
        _one("file_id", 1, 999),
        every=75 * SECOND,
        first=12 * SECOND,
    ),
    Flow(
        Verb.LATER,
        jobs.remind_customer,
        "POST /invoices/",
        _one("invoice_id", 1, 999),
        every=12 * SECOND,
    ),
    Flow(
        Verb.ENQUEUE,
        jobs.charge_card,
        "POST /invoices/{invoice_id}/pay/",
        _one("invoice_id", 1, 999),
        every=5 * MINUTE,
        first=3 * SECOND,
    ),
    Flow(
        Verb.ENQUEUE,
        jobs.send_contract,
        "POST /contracts/",
        _one("contract_id", 1, 99),
        every=6 * MINUTE,
        first=6 * SECOND,
    ),
    Flow(
        Verb.ENQUEUE,
        jobs.export_orders,
        "POST /exports/",
        _one("customer_id", 1, 999),
        every=7 * MINUTE,
        first=9 * SECOND,
    ),
    Flow(
        Verb.ENQUEUE,
        jobs.forecast_sales,
        "manage.py forecast",
        lambda chance: {"region": chance.choice(REGIONS)},
        every=8 * MINUTE,
        first=15 * SECOND,
    ),
)


def plan_calls(seed: int) -> Iterator[Call]:
    """Return the calls in the order of their times, without end."""
    chance = Random(seed)  # noqa: S311  a plan, not a secret
    due = [(flow.first, number) for number, flow in enumerate(FLOWS)]
    heapify(due)
    while True:
        at, number = heappop(due)
        flow = FLOWS[number]
        for _ in range(flow.burst):
            arguments = flow.arguments(chance)
            endpoint = flow.endpoint.format(**arguments)
            delay = MINUTE * chance.uniform(0.3, 1)
            yield Call(at, flow.verb, flow.job, arguments, endpoint, delay)
        heappush(due, (at + flow.every * chance.uniform(0.5, 1.5), number))
