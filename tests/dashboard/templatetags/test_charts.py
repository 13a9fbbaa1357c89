"""The rows of a chart's table."""

from datetime import UTC, datetime

from dashboard.charts import DrawnChart
from dashboard.templatetags.charts import chart_rows

NOON = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def test_the_newest_row_comes_first_and_a_gap_is_empty():
    chart = DrawnChart("jobs", "Jobs", rows=((NOON, ("1", "2")), (NOON.replace(minute=1), ("3", ""))))

    assert chart_rows(chart) == (
        "<tr><th>03-04 12:01:00</th><td>3</td><td></td></tr><tr><th>03-04 12:00:00</th><td>1</td><td>2</td></tr>"
    )
