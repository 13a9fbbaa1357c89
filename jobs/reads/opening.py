"""What nearly every page asks first: what time it is on the server, and which queues there are."""

from datetime import datetime

from django.conf import settings

from jobs import keys
from jobs.names import written
from jobs.reads import shared
from jobs.reads.fields import server_time
from jobs.reads.trips import Answer, Trip

MOST = 500


class Opening:
    """The server's time and the queues, asked once within a page and known once that trip is made."""

    def __init__(self) -> None:
        self._asked: tuple[Answer, Answer] | None = shared.recall("opening")

    def ask(self, trip: Trip) -> None:
        if self._asked is None:
            self._asked = trip.ask("time"), trip.ask("smembers", keys.QUEUES)
            shared.remember(self._asked, "opening")

    @property
    def now(self) -> datetime:
        assert self._asked  # noqa: S101  asked before
        return server_time(self._asked[0].value)

    @property
    def queues(self) -> list[str]:
        """The queues of the settings and those that RQ knows of, by name, the first MOST of them."""
        assert self._asked  # noqa: S101  asked before
        prefix, known = keys.queue().encode(), self._asked[1].value or ()
        found = {written(key.removeprefix(prefix)) for key in known} | set(map(written, settings.RQ_QUEUES))
        return sorted(found - {""})[:MOST]
