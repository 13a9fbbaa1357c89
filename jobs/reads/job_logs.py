"""The lines that a job logged, for its page."""

from dataclasses import dataclass
from datetime import datetime

from jobs import keys
from jobs.job_logs import log_url
from jobs.log_tails import BYTES, LINES, parse_line
from jobs.reads.fields import from_ms, line, text
from jobs.reads.trips import Answer, Trip


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line; `number` counts from the job's first line on."""

    number: int
    at: datetime | None
    level: str
    logger: str
    attempt: int
    text: str


@dataclass(frozen=True, slots=True)
class JobLog:
    """The last lines, oldest first, and where the project's own log system shows all of them, empty without one."""

    lines: tuple[LogLine, ...]
    url: str

    @property
    def left_out(self) -> int:
        return self.lines[0].number - 1 if self.lines else 0


def ask_log(trip: Trip, job_id: str) -> Answer:
    """Ask for the end of a job's log, bounded whatever lies there."""
    return trip.ask("getrange", keys.log(job_id), -BYTES, -1)


def build_log(job_id: str, answer: Answer) -> JobLog:
    """Return the log; lines that are none of ours are left out."""
    parsed = map(parse_line, (answer.value or b"").split(b"\n")[-LINES:])
    lines = (
        LogLine(number, from_ms(at), line(level, 10), line(logger), attempt, text(said))
        for number, at, level, logger, attempt, said in parsed
        if number > 0
    )
    return JobLog(tuple(lines), log_url(job_id))
