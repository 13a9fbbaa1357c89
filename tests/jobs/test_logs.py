import json
import logging
from collections.abc import Callable, Iterator

import pytest
import structlog

from jobs.connection import store
from jobs.logs import bind_job, configure_structlog, line_formatter, log
from jobs.queue import Queue
from jobs.worker import Worker
from tests.factories import LOCKED, enqueue

Lines = Callable[[], list[str]]


@pytest.fixture
def written() -> Iterator[Lines]:
    """Return what was logged, as the formatter of `LOGGING` writes it at that moment."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(line_formatter().format(record))  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    yield lambda: lines
    logging.getLogger().removeHandler(handler)


def fail() -> None:
    password = "hunter2"
    raise ValueError(len(password))


def test_every_line_of_a_job_carries_its_context_and_is_json(written):
    with bind_job(job_id="abc", queue="mail", attempt=2, worker="w1"):
        log.info("taken", resource="report:42")
        logging.getLogger("rq.worker").warning("stock %s", "line")
    log.info("after")

    taken, stock, after = (json.loads(line) for line in written())

    bound = {"job_id": "abc", "queue": "mail", "attempt": 2, "worker": "w1"}
    assert taken.items() >= {"event": "taken", "level": "info", "resource": "report:42", **bound}.items()
    assert stock.items() >= {"event": "stock line", "level": "warning", **bound}.items()
    assert "job_id" not in after


@pytest.mark.parametrize("terminal", ["", "1"])
def test_a_traceback_is_part_of_its_line_and_shows_no_local_variables(written, monkeypatch, terminal):
    monkeypatch.setenv("MANDOR_TERMINAL", terminal)

    try:
        fail()
    except ValueError:
        log.exception("attempt failed")

    (line,) = written()
    assert "ValueError: 7" in line
    assert "hunter2" not in line
    assert line.startswith("{") is not bool(terminal)


def test_a_project_that_configured_structlog_keeps_its_configuration():
    before = structlog.get_config()["processors"]

    configure_structlog()

    assert structlog.get_config()["processors"] is before


def test_each_step_of_a_job_says_which_job_resource_queue_attempt_and_worker(written):
    (job_id,) = enqueue(LOCKED, report_id=42)
    worker = Worker([Queue("reports", connection=store())], name="w1")

    worker.work(burst=True)

    lines = {line["event"]: line for line in map(json.loads, written())}
    bound = {"job_id": job_id, "resource": "report:42", "queue": "reports", "attempt": 1, "worker": "w1"}
    for step in ("taken", "lock acquired", "finished", "lock released"):
        assert lines[step].items() >= bound.items()
    assert lines["enqueued"].items() >= {"job_id": job_id, "resource": "report:42", "queue": "reports"}.items()


def test_the_running_commentary_of_rq_is_left_out_unless_asked_for(written):
    stock = logging.getLogger("rq.worker")

    for asked, kept in (("INFO", False), ("DEBUG", True)):
        stock.setLevel(asked)
        Worker([Queue("reports", connection=store())]).work(burst=True)
        assert any("subscribing" in line for line in written()) is kept
