"""What a list of jobs is narrowed to: it lives in the query string."""

from django.http import HttpRequest

from dashboard.paging import read_page_number
from jobs.reads.job_lists import JobFilter

LONGEST = 200
LAST_WINDOW = 1_000_000


def read_job_filter(request: HttpRequest) -> JobFilter:
    """Return the filter of the query string; whatever makes no sense there is as if it were absent."""
    window = request.GET.get("window", "")
    return JobFilter(
        queue=request.GET.get("queue", "").strip()[:LONGEST],
        function=request.GET.get("function", "").strip()[:LONGEST],
        page=read_page_number(request),
        window=min(int(window), LAST_WINDOW) if window.isdecimal() and len(window) < 9 else 0,  # noqa: PLR2004
    )
