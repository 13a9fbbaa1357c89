"""What a job logs while it runs: kept live, harmless, and free of charge for a job that logs nothing."""

import logging
import os
import threading
from datetime import timedelta

import pytest
import structlog
from rq.job import Job
from rq.serializers import JSONSerializer

from jobs import keys
from jobs.connection import store
from jobs.job_logs import AFTER_FAILURE, AFTER_SUCCESS, capture, log_url
from jobs.log_tails import parse_line
from jobs.queue import Queue
from jobs.worker import Worker
from tests.factories import enqueue
from tests.waiting import eventually

logger = logging.getLogger("reports.jobs")
SAY = "tests.samples.jobs.say"
SECOND = timedelta(seconds=1)


def texts() -> list[str]:
    stored = store().get(keys.log("abc")) or b""
    return [parse_line(line).text for line in stored.splitlines()]


def kept_for() -> timedelta:
    return timedelta(milliseconds=store().pttl(keys.log("abc")))


def commands() -> int:
    return sum(each["calls"] for name, each in store().info("commandstats").items() if name != "cmdstat_info")


def test_a_log_is_there_while_the_job_runs_and_for_an_hour_after_it():
    with capture("abc", attempt=1) as captured:
        logger.warning("first")
        eventually(lambda: texts() == ["first"])
        logger.warning("second")
        eventually(lambda: texts() == ["first", "second"])
        assert AFTER_FAILURE - SECOND < kept_for() <= AFTER_FAILURE
        logger.warning("last")
        captured.succeeded = True

    assert texts() == ["first", "second", "last"]
    assert AFTER_SUCCESS - SECOND < kept_for() <= AFTER_SUCCESS


def test_the_log_of_a_job_that_fails_is_kept_for_a_week():
    with pytest.raises(ValueError, match="no"), capture("abc", attempt=1):
        logger.warning("first")
        int("no")

    assert texts() == ["first"]
    assert AFTER_FAILURE - SECOND < kept_for() <= AFTER_FAILURE


def test_a_job_that_logs_nothing_costs_no_command_and_no_thread():
    before, threads = commands(), threading.active_count()

    with capture("abc", attempt=1):
        assert threading.active_count() == threads

    assert commands() == before


def test_nothing_is_left_behind():
    handlers, threads = list(logging.getLogger().handlers), threading.enumerate()

    with capture("abc", attempt=1):
        logger.warning("first")
        assert threading.active_count() == len(threads) + 1
    logger.warning("after it")

    assert logging.getLogger().handlers == handlers
    assert threading.enumerate() == threads
    assert texts() == ["first"]


def test_a_flood_costs_a_few_commands():
    before = commands()

    with capture("abc", attempt=1):
        for number in range(20_000):
            logger.warning("line %d", number)

    assert texts()[-1] == "line 19999"
    assert commands() - before < 100


def test_events_of_structlog_and_lines_of_threads_are_kept_too():
    with capture("abc", attempt=1):
        structlog.get_logger("reports").warning("sent", to="ana")
        thread = threading.Thread(target=logger.warning, args=("from a thread",))
        thread.start()
        thread.join()

    assert texts() == ["sent to=ana", "from a thread"]


def test_a_job_notices_nothing_while_redis_is_away(store_away):
    with capture("abc", attempt=1):
        logger.warning("before")

    store_away()
    assert texts() == []


def test_lines_wait_until_redis_is_back(store_away):
    with capture("abc", attempt=1):
        logger.warning("meanwhile")
        store_away()

    assert texts() == ["meanwhile"]


def test_a_forked_child_neither_writes_nor_hangs():
    with capture("abc", attempt=1):
        logger.warning("parent")
        child = os.fork()
        if child == 0:
            logger.warning("child")
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0

    assert texts() == ["parent"]


def test_a_message_that_cannot_be_told_harms_nothing(monkeypatch):
    monkeypatch.setattr(logging, "raiseExceptions", False)
    with capture("abc", attempt=1):
        logger.warning("%d rows", "seven")
        logger.warning("next")

    assert texts() == ["next"]


def test_where_nobody_else_listens_a_warning_still_reaches_standard_error(monkeypatch, capsys):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    with capture("abc", attempt=1):
        logger.warning("disk is full")
        logging.getLogger("reports").info("not that grave")

    assert capsys.readouterr().err == "disk is full\n"


def test_the_address_of_the_own_log_system_holds_the_quoted_id(settings):
    assert log_url("a/b") == ""

    settings.MANDOR = {"LOG_URL": "https://logs.example/?q={job_id}&from=now"}
    assert log_url("a/b &c") == "https://logs.example/?q=a%2Fb%20%26c&from=now"


def test_a_workers_jobs_have_their_logs_and_the_horse_goes_on():
    jobs = [enqueue(SAY, text=text, fail=fail)[0] for text, fail in (("one", False), ("two", True), ("three", False))]

    Worker([Queue("mail", connection=store())]).work(burst=True)

    stored = [store().get(keys.log(job_id)) for job_id in jobs]
    assert [[parse_line(line).text for line in log.splitlines()] for log in stored] == [["one"], ["two"], ["three"]]
    kept = [timedelta(milliseconds=store().pttl(keys.log(job_id))) for job_id in jobs]
    assert [left > AFTER_SUCCESS for left in kept] == [False, True, False]
    found = Job.fetch_many(jobs, connection=store(), serializer=JSONSerializer)
    first, _, third = [job.return_value() for job in found]
    assert first == third, "a thread or handler that is left over retires the process"
