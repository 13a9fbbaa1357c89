"""One call, run to its end: whatever it returns or raises becomes part of the report."""

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest
from rq.job import Retry
from rq.serializers import JSONSerializer

from jobs.horses.calls import TRACEBACK_LIMIT, UNSERIALISABLE, run_call
from jobs.horses.messages import Report
from jobs.permits import Call


def call(function: Callable[..., Any], *, timeout: float = 60, cached: bool = False) -> Report:
    return run_call(Call("sample", function, [], {}, None), JSONSerializer, timeout=timeout, cached=cached)


def raise_it(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize(("value", "result"), [({"rows": 2}, {"rows": 2}), (object(), UNSERIALISABLE)])
def test_what_a_call_returns_is_its_result(value, result):
    report = call(lambda: value)

    assert report.done
    assert json.loads(report.result_bytes) == result


async def two() -> int:
    await asyncio.sleep(0)
    return 2


def test_an_async_function_runs_to_its_end():
    with ProcessPoolExecutor(1, get_context("fork")) as horse:  # a browser's tests leave a loop running in this process
        assert json.loads(horse.submit(call, two).result().result_bytes) == 2


def test_a_cached_value_must_be_json():
    assert json.loads(call(lambda: {"rows": 2}, cached=True).value) == {"rows": 2}
    assert not call(object, cached=True).done


def test_a_retry_that_is_returned_is_asked_for():
    assert call(lambda: Retry(max=2, interval=7)).retry == {"max": 2, "interval": [7], "enqueue_at_front": False}


@pytest.mark.parametrize("error", [ValueError("no such address"), SystemExit(3), KeyboardInterrupt("stop")])
def test_whatever_a_call_raises_is_its_error(error):
    report = call(lambda: raise_it(error))

    assert not report.done and not report.timed_out
    assert report.error == f"{type(error).__name__}: {error}"
    assert "raise_it" in report.traceback


def test_an_endless_traceback_loses_its_middle():
    report = call(lambda: raise_it(ValueError("x" * 2 * TRACEBACK_LIMIT)))

    assert len(report.traceback) < 2 * TRACEBACK_LIMIT
    assert "characters left out" in report.traceback
    assert report.traceback.startswith("Traceback")


def test_text_that_is_no_unicode_does_not_harm_the_report():
    assert call(lambda: raise_it(ValueError("\udc80"))).error == "ValueError: ?"


def test_a_call_ends_at_its_time_limit_though_it_catches_every_exception():
    def sleep_on() -> None:
        try:
            time.sleep(30)
        except Exception:  # noqa: BLE001  what careless code does
            return

    report = call(sleep_on, timeout=0.05)

    assert report.timed_out and report.error.startswith("MaxDurationExceeded")


def test_a_call_without_a_limit_goes_on():
    assert call(lambda: time.sleep(0.01), timeout=-1).done
