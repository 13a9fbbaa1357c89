"""The log of a job as its page has it."""

import logging

from jobs import keys
from jobs.connection import store
from jobs.job_logs import capture
from jobs.reads.job import find_job
from jobs.reads.job_logs import JobLog
from tests.factories import enqueue

logger = logging.getLogger("reports.jobs")


def read(job_id: str) -> JobLog:
    found = find_job(job_id)
    assert found is not None
    return found.log


def test_a_job_that_logged_nothing_has_no_lines():
    (job_id,) = enqueue()

    assert read(job_id) == JobLog((), "")


def test_lines_come_oldest_first_and_it_is_told_how_many_are_gone(settings):
    settings.MANDOR = {"LOG_URL": "https://logs.example/{job_id}"}
    (job_id,) = enqueue()
    with capture(job_id, attempt=2):
        for number in range(500):
            logger.warning("line %d\u202e", number)

    log = read(job_id)

    assert [line.text for line in log.lines[:1] + log.lines[-1:]] == ["line 300\ufffd", "line 499\ufffd"]
    assert (log.lines[0].level, log.lines[0].logger, log.lines[0].attempt) == ("warning", "reports.jobs", 2)
    assert log.left_out == 300
    assert log.url == f"https://logs.example/{job_id}"


def test_what_is_no_log_is_left_out():
    (job_id,) = enqueue()
    lines = [b"\xff", b"[1]", b'{"n": 1}', b'[1e400,1,"info","x",1,"y"]', b'[3,1e99,"info","x",1,"shown"]', b"[" * 9999]
    store().set(keys.log(job_id), b"\n".join(lines))
    assert [(line.at, line.text) for line in read(job_id).lines] == [(None, "shown")]

    store().delete(keys.log(job_id))
    store().lpush(keys.log(job_id), "x")
    assert read(job_id).lines == ()
