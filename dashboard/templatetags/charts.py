"""The rows of a chart's table, written at once: as templates they would take most of the page's time."""

from collections.abc import Iterable
from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from dashboard.charts import DrawnChart

register = template.Library()


@register.simple_tag
def chart_rows(chart: DrawnChart) -> SafeString:
    """Return a row for each point, newest first: its time in the server's zone, and a cell for each line's figure."""
    return format_html_join("", "<tr><th>{}</th>{}</tr>", (_row(*row) for row in reversed(chart.rows)))


def _row(start: datetime, cells: Iterable[str]) -> tuple[str, SafeString]:
    written = format_html_join("", "<td>{}</td>", ((cell,) for cell in cells))
    return f"{timezone.localtime(start):%m-%d %H:%M:%S}", written
