"""What a list of jobs is narrowed to, and what keeps it still: all of it lives in the query string."""

import re
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from dashboard.answers import address_of
from dashboard.htmx import is_poll
from dashboard.paging import build_page, read_page_number
from jobs.reads import jobs as jobs_reads
from jobs.reads.job_lists import JobFilter, JobList
from jobs.reads.job_search import read_search

LONGEST = 500
START = re.compile(r"\d{1,8}", re.ASCII)
SCORE = re.compile(r"\d{1,12}(\.\d{1,9})?", re.ASCII)


def read_job_filter(request: HttpRequest) -> JobFilter:
    """Return the filter of the query string; whatever makes no sense there is as if it were absent."""
    asked = request.GET
    start, as_of = asked.get("start", ""), asked.get("as_of", "")
    search = read_search(asked.get("q", "").strip())
    return JobFilter(
        queue=search.queue or asked.get("queue", "").strip()[:LONGEST],
        search=search,
        page=read_page_number(request),
        start=int(start) if START.fullmatch(start) else 0,
        as_of=float(as_of) if SCORE.fullmatch(as_of) else None,
    )


def find_named(request: HttpRequest, wanted: JobFilter) -> str:
    """Return the address of the job or the lock whose exact name a person typed; a list that polls stays a list."""
    name = wanted.search.name
    jump = jobs_reads.look_up(name) if name and not is_poll(request) else None
    if jump is None:
        return ""
    if jump.kind == "lock":
        return address_of("mandor:lock", resource=name)
    return reverse("mandor:job", args=[name])


def describe_list(request: HttpRequest, listed: JobList) -> dict[str, Any]:
    """Return what the templates of a list need: its page, and the addresses that keep it still or bring it up to date.

    They are the same for the page and for its polls, so that a region says the same in both.
    """
    still = request.GET.copy()
    if listed.as_of is not None:
        still["as_of"] = f"{listed.as_of:.9f}".rstrip("0").rstrip(".")
    return {
        "jobs": listed,
        "filter": listed.filter,
        "still": still,
        "poll_url": f"{request.path}?{still.urlencode()}",
        "page": build_page(request, total=listed.matches, has_next=listed.page < listed.pages, query=still),
    }
