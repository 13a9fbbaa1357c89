"""The end of a job's log: what a line says, and that it stays small whatever is logged."""

import logging
from datetime import timedelta

import pytest

from jobs import keys
from jobs.connection import store
from jobs.log_tails import BYTES, LINES, LogTail, parse_line

HOUR = timedelta(hours=1)


def record(message: object, *args: object, level: int = logging.INFO, **more: object) -> logging.LogRecord:
    made = logging.LogRecord("reports.jobs", level, __file__, 1, message, args, None)
    made.__dict__ |= more
    return made


def write(*records: logging.LogRecord, attempt: int = 1) -> None:
    tail = LogTail("abc", attempt)
    for each in records:
        tail.add(each)
    tail.write(HOUR)


def written() -> list[bytes]:
    return store().get(keys.log("abc")).split(b"\n")


def texts() -> list[str]:
    return [parse_line(line).text for line in written()]


def test_a_line_says_when_how_grave_by_whom_in_which_attempt_and_what():
    write(record("took %d rows", 7, level=logging.WARNING, created=1_700_000_000.5), attempt=2)

    (line,) = map(parse_line, written())
    assert line == (1, 1_700_000_000_500, "warning", "reports.jobs", 2, "took 7 rows")


def test_an_event_of_structlog_is_one_line_without_what_every_line_would_repeat():
    write(record({"event": "sent", "to": "ana", "job_id": "abc", "level": "info", "timestamp": "12:30"}))

    assert texts() == ["sent to=ana"]


def test_a_traceback_is_several_lines():
    try:
        int("seven")
    except ValueError as error:
        raised = (ValueError, error, error.__traceback__)

    write(record("went wrong", exc_info=raised), record({"event": "again", "exc_info": raised}))

    assert texts()[:2] == ["went wrong", "Traceback (most recent call last):"]
    assert sum(text.startswith("ValueError: ") for text in texts()) == 2
    assert "again" in texts()


@pytest.mark.parametrize(
    "said",
    [
        "password=hunter2",
        'sent {"access_token": "hunter2"}',
        "Authorization: Bearer hunter2",
        "connect to redis://user:hunter2@host:6379",
        "API key: hunter2",
        "IBAN hunter=2 iban=hunter2",
    ],
)
def test_what_looks_secret_is_masked_before_it_is_written(said, settings):
    settings.MANDOR = {"REDACT": ["iban"]}

    write(record(said), record({"event": "login", "password": "hunter2"}))

    assert "hunter2" not in " ".join(texts())
    assert "[masked]" in texts()[0]


def test_ordinary_text_is_left_alone():
    said = "see https://example.org:8000/a@b at 12:30, tokens are fine"

    write(record(said))

    assert texts() == [said]


def test_the_last_200_lines_and_32_kb_are_kept_and_numbers_tell_how_many_there_were():
    write(*(record("line %d", number) for number in range(1000)))
    assert len(written()) == LINES
    assert parse_line(written()[-1]).number == 1000

    write(*(record("long " + "x" * 900) for _ in range(300)))
    assert BYTES - 1100 < store().strlen(keys.log("abc")) <= BYTES
    assert parse_line(written()[-1]).number == 1300


def test_an_endless_line_and_endless_lines_are_cut():
    write(record("x" * 5_000_000), record("a\n" * 5_000_000))

    assert len(texts()[0]) <= 1000
    assert len(written()) <= LINES


def test_the_log_goes_on_after_that_of_the_attempts_before():
    write(record("first"), attempt=1)
    write(record("second"), attempt=2)

    lines = [parse_line(line) for line in written()]
    assert [(line.number, line.attempt, line.text) for line in lines] == [(1, 1, "first"), (2, 2, "second")]


def test_what_lies_there_and_is_no_log_harms_nothing():
    store().set(keys.log("abc"), b"\xff{not json")

    write(record("first"))

    assert texts() == ["", "first"]


def test_text_that_is_no_unicode_is_written_with_marks():
    write(record("name \udcff"))

    assert texts() == ["name ?"]
