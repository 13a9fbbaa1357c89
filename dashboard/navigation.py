"""The places on the left, each with the figure that stands beside it."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.filters import count, percent
from jobs.reads.frame import Frame

# A place is current on its own page and on the pages below it.
BELOW = {
    "overview-charts": "overview",
    "queue": "queues",
    "queue-charts": "queues",
    "job": "jobs",
    "job-enqueue": "jobs",
    "job-edit": "jobs",
    "jobs-retry": "jobs",
    "jobs-discard": "jobs",
    "jobs-restore": "jobs",
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
        place(_("Overview"), "overview"),
        place(_("Queues"), "queues", count(frame.waiting), _tell_waiting(frame), alarming=frame.unheard > 0),
        place(_("Jobs"), "jobs", count(frame.in_flight), _("in flight")),
        place(_("Locks"), "locks", count(frame.locks), _("held"), alarming=bool(frame.alerts)),
        place(_("Cache"), "cache", percent(frame.hit_ratio), _("of the last hour's reads were hits")),
        place(_("Dead letters"), "dead-letters", count(frame.dead), _("dead"), alarming=bool(frame.dead)),
        place(_("Workers"), "workers", count(frame.workers), _tell_workers(frame), alarming=_lacks_workers(frame)),
        place(_("Schedules"), "schedules", count(frame.scheduled), _("scheduled")),
    ]
    if request.user.has_perm("mandor.view_activity"):
        places.append(place(_("Activity"), "activity"))
    return places


def _tell_waiting(frame: Frame) -> str:
    if not frame.unheard:
        return _("waiting")
    queues = frame.unheard
    return ngettext("waiting, %d queue without a worker", "waiting, %d queues without a worker", queues) % queues


def _tell_workers(frame: Frame) -> str:
    return ngettext("alive, %d silent", "alive, %d silent", frame.silent) % frame.silent if frame.silent else _("alive")


def _lacks_workers(frame: Frame) -> bool:
    return frame.workers == 0 or frame.silent > 0
