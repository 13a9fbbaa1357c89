"""One action on the rows that were selected: what it is about to do, asked once, and then done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy
from django.views.decorators.http import require_POST

from dashboard import audit, toasts
from dashboard.access import requires
from dashboard.answers import SeeOther, go_back
from dashboard.filters import hours
from dashboard.htmx import DashboardRequest, render_frame
from jobs.conf import conf
from jobs.names import written
from jobs.reads import job_selections, states
from jobs.reads.job_rows import JobRow
from jobs.seen import SeenJob, read_seen
from jobs.selections import MOST, Result, discard_jobs, restore_jobs, retry_jobs

CHANGED: Any = gettext_lazy("None of the selected jobs is as it was any more. Nothing was changed.")


@dataclass(frozen=True, slots=True)
class Verb:
    """An action on selected jobs: its permission, what does it, to which jobs, where they are then, and its words."""

    name: str
    permission: str
    run: Callable[..., Result]
    fits: Callable[[JobRow], bool]
    route: str
    shows: str
    asks: Any
    tells: Any
    done: Any

    @property
    def deed(self) -> str:
        """Its name on Activity."""
        return f"{self.name}_job"


RETRY = Verb(
    "retry",
    "retry_job",
    retry_jobs,
    lambda row: row.retryable,
    "mandor:jobs-retry",
    states.WAITING,
    ngettext_lazy("Retry %(count)s job", "Retry %(count)s jobs", "count"),
    gettext_lazy("Each goes back to its queue, with all its attempts again."),
    ngettext_lazy("%(count)s job retried.", "%(count)s jobs retried.", "count"),
)
DISCARD = Verb(
    "discard",
    "discard_job",
    discard_jobs,
    lambda row: row.discardable,
    "mandor:jobs-discard",
    states.DISCARDED,
    ngettext_lazy("Discard %(count)s job", "Discard %(count)s jobs", "count"),
    gettext_lazy("They go to the bin, from which they can be restored for %(kept)s."),
    ngettext_lazy("%(count)s job discarded.", "%(count)s jobs discarded.", "count"),
)
RESTORE = Verb(
    "restore",
    "discard_job",
    restore_jobs,
    lambda row: row.restorable,
    "mandor:jobs-restore",
    "",
    ngettext_lazy("Restore %(count)s job", "Restore %(count)s jobs", "count"),
    gettext_lazy("Each goes back to where it was when it was discarded."),
    ngettext_lazy("%(count)s job restored.", "%(count)s jobs restored.", "count"),
)


@require_POST
@requires(RETRY.permission)
def retry(request: DashboardRequest) -> HttpResponse:
    return _answer(request, RETRY)


@require_POST
@requires(DISCARD.permission)
def discard(request: DashboardRequest) -> HttpResponse:
    return _answer(request, DISCARD)


@require_POST
@requires(RESTORE.permission, deed=RESTORE.deed)
def restore(request: DashboardRequest) -> HttpResponse:
    return _answer(request, RESTORE)


def _answer(request: DashboardRequest, verb: Verb) -> HttpResponse:
    jobs = [job for job in map(read_seen, request.POST.getlist("job")[:MOST]) if job]
    if not jobs:
        messages.warning(request, _("No job was selected."))
        return go_back(request, "mandor:jobs")
    return _do(request, verb, jobs) if "confirmed" in request.POST else _ask(request, verb, jobs)


def _ask(request: DashboardRequest, verb: Verb, jobs: Sequence[SeenJob]) -> HttpResponse:
    selection = job_selections.summarise(jobs, verb.fits)
    context = {
        "verb": verb,
        "title": verb.asks % {"count": selection.count},
        "tells": verb.tells % {"kept": hours(conf().BIN_TTL)},
        "selection": selection,
        "jobs": jobs,
        "next": _next(request) or request.headers.get("Referer", ""),
    }
    return render_frame(request, "mandor/jobs/selected.html", context)


def _do(request: DashboardRequest, verb: Verb, jobs: Sequence[SeenJob]) -> HttpResponse:
    result = verb.run(jobs, by=request.user.get_username())
    detail = f"{verb.name}: {result.done} of {len(jobs)}: {' '.join(written(job.job_id) for job in jobs)}"
    outcome: audit.Outcome = "done" if result.done else "skipped"
    target = f"{len(jobs)} selected jobs"
    audit.record(request, verb.deed, target=target, count=result.done, outcome=outcome, detail=detail)
    if result.done:
        shows = f"{reverse('mandor:jobs')}?state={verb.shows}" if verb.shows else ""
        toasts.succeed(request, _tell(verb, result), view=shows)
    else:
        messages.warning(request, CHANGED)
    back = _next(request)
    return SeeOther(back) if back else go_back(request, "mandor:jobs")


def _tell(verb: Verb, result: Result) -> str:
    told = str(verb.done % {"count": result.done})
    if not result.skipped:
        return told
    skipped = ngettext(
        "%(count)s had changed and was left alone.", "%(count)s had changed and were left alone.", result.skipped
    )
    return f"{told} {skipped % {'count': result.skipped}}"


def _next(request: DashboardRequest) -> str:
    """Return the page to go back to, where it is one of ours."""
    asked = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(asked, {request.get_host()}, require_https=request.is_secure())
    return asked if ours else ""
