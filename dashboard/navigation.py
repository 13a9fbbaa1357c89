"""The places on the left, each with the figure that stands beside it."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from dashboard.filters import count, percent
from jobs.reads.frame import Frame

# A place is current on its own page and on the pages below it.
BELOW = {
    "overview-charts": "overview",
    "queue": "queues",
    "queue-charts": "queues",
    "job": "jobs",
    "lock": "locks",
    "cache-charts": "cache",
    "cache-entry": "cache",
    "dead-letter-group": "dead-letters",
}


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of the navigation; `figure` is its count as text and `tells` what it counts, empty for none."""

    title: str
    route: str
    url: str
    figure: str
    tells: str
    alarming: bool
    current: bool


def list_places(request: HttpRequest, frame: Frame) -> list[Place]:
    """Return the places this person may go to, in order."""
    if not request.user.has_perm("mandor.view"):
        return []
    here = request.resolver_match.url_name if request.resolver_match else None
    here = BELOW.get(here or "", here)

    def place(title: str, route: str, figure: str = "", tells: str = "", *, alarming: bool = False) -> Place:
        return Place(title, route, reverse(f"mandor:{route}"), figure, tells, alarming, route == here)

    places = [
        place("Overview", "overview"),
        place("Queues", "queues", count(frame.waiting), "waiting"),
        place("Jobs", "jobs", count(frame.in_flight), "in flight"),
        place("Locks", "locks", count(frame.locks), "held", alarming=bool(frame.alerts)),
        place("Cache", "cache", percent(frame.hit_ratio), "of the last hour's reads were hits"),
        place("Dead letters", "dead-letters", count(frame.dead), "dead", alarming=bool(frame.dead)),
        place("Workers", "workers", count(frame.workers), "alive", alarming=frame.workers == 0),
    ]
    if request.user.has_perm("mandor.view_activity"):
        places.append(place("Activity", "activity"))
    return places
