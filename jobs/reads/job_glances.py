"""A first look at a job: enough to tell its state, its place in a list, and whether it is looked for."""

from datetime import UTC, datetime

from jobs import keys
from jobs.reads import states
from jobs.reads.fields import line, moment
from jobs.reads.job_payloads import PayloadQuestion, read_description
from jobs.reads.job_rows import Found
from jobs.reads.job_search import JobSearch
from jobs.reads.trips import Trip

FIELDS = ("status", "m_state", "m_name", "description", "m_error", "m_resource")
SINCE = {states.WAITING: "enqueued_at", states.IN_FLIGHT: "started_at"}


class Glance:
    """The questions of a first look at one job."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.payload = PayloadQuestion(found.job_id)

    def ask(self, trip: Trip, search: JobSearch) -> None:
        """Ask for the fields to judge by; where words are looked for, also how long the payload is."""
        since = SINCE.get(self.found.state, "m_state")
        self._fields = trip.ask("hmget", keys.job(self.found.job_id), *FIELDS, since)
        if search.words:
            self.payload.ask_length(trip)

    def ask_arguments(self, trip: Trip) -> None:
        """Ask for the payload, unless it is too long to be searched."""
        self.payload.ask_data(trip)

    def read(self) -> None:
        """Take the fields in, once they were asked for."""
        status, marker, name, description, error, resource, since = self._fields.value or (None,) * 7
        self.state = self.found.state if status is None else states.job_state(line(status), line(marker))
        self._name, self._description = name, description
        self._error, self._resource, self._since = error, resource, since

    def fits(self, search: JobSearch) -> bool:
        """Return whether all but the words is found."""
        return (
            _within(search.id, self.found.job_id)
            and (not search.func or _within(search.func, self._function()))
            and (not search.error or _within(search.error, line(self._error)))
            and (not search.resource or _within(search.resource, line(self._resource)))
        )

    def has_words(self, search: JobSearch) -> bool:
        """Return whether all words are in the call, once the payload was asked for: secrets are masked before."""
        payload = self.payload.answer(name=line(self._name), description=self._description)
        call = f"{payload.function}({payload.arguments})"
        return all(_within(word, call) for word in search.words)

    @property
    def place(self) -> tuple[datetime, float]:
        """Its place in a list that is ordered by since when it waits or runs, and else by score."""
        since = moment(self._since) if self.found.state in SINCE else None
        return since or datetime.max.replace(tzinfo=UTC), self.found.score or 0.0

    def _function(self) -> str:
        return line(self._name) or read_description(line(self._description))[0]


def _within(part: str, whole: str) -> bool:
    return part.casefold() in whole.casefold()
