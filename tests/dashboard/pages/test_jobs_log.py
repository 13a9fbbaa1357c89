"""The log on a job's page."""

import logging

from jobs.job_logs import capture
from tests.dashboard.conftest import SignIn
from tests.factories import enqueue

logger = logging.getLogger("reports.jobs")


def test_a_jobs_page_shows_its_log_escaped_with_a_heading_for_each_attempt(sign_in: SignIn):
    (job_id,) = enqueue()
    for attempt in (1, 2):
        with capture(job_id, attempt=attempt):
            logger.warning("<script>alert(%d)</script>", attempt)

    page = sign_in("viewer").get(f"/jobs/{job_id}/").content.decode()

    assert page.count("&lt;script&gt;alert(") == 2
    assert page.index('id="job-log-attempt-1"') < page.index('id="job-log-attempt-2"')
    assert 'data-copy="job-log"' in page


def test_without_lines_it_says_where_they_would_come_from(sign_in: SignIn, settings):
    settings.MANDOR = {"LOG_URL": "https://logs.example/?q={job_id}&to=now"}
    (job_id,) = enqueue()

    page = sign_in("viewer").get(f"/jobs/{job_id}/").content.decode()

    assert "It logged nothing." in page
    assert f'href="https://logs.example/?q={job_id}&amp;to=now"' in page
