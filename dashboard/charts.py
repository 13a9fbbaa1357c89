"""Charts as pages show them: a table of figures each, from which the browser draws; asked for apart from the page."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language

from dashboard.chart_words import QUEUE_TONES, RANGE_WORDS, SERIES, TITLES, UNIT_WORDS, figure, latest
from dashboard.htmx import is_poll, render_frame
from dashboard.snapshots import share_region
from jobs.reads.chart_ranges import RANGES, Grid, Range, read_grid
from jobs.reads.charts import Chart

Read = Callable[[Grid], Iterable[Chart]]
Text = Any


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart: its name, its tone and its newest value."""

    label: Text
    tone: str
    latest: str


@dataclass(frozen=True, slots=True)
class DrawnChart:
    """A chart as its template needs it: a row for each point, oldest first; only the title before it was read."""

    name: str
    title: Text
    unit: str = ""
    unit_word: Text = ""
    lines: tuple[Line, ...] = ()
    rows: tuple[tuple[datetime, tuple[str, ...]], ...] = ()
    left_out: int = 0


def outline_charts(request: HttpRequest, names: Iterable[str], url: str) -> dict[str, Any]:
    """Return what a page needs to hold the place of its charts until the browser asks for them at `url`."""
    shown = read_range(request)
    return {
        "charts_url": f"{url}?range={shown.name}",
        "charts": [DrawnChart(n, TITLES[n]) for n in names],
        **_ranges(shown),
    }


def render_charts(request: HttpRequest, read: Read, *, above: Text, above_url: str) -> HttpResponse:
    """Answer with a page of charts below the page `above`; a poll gets the charts alone, or 304."""
    shown = read_range(request)
    grid = read_grid(shown)
    tag = f"{grid.mark}-{get_language()}"
    if is_poll(request) and request.headers.get("HX-PTag") == tag:
        return _answer(HttpResponse(status=304), tag)

    def find() -> dict[str, Any]:
        charts = [_draw(chart, grid) for chart in read(grid)]
        return {"charts": charts, "charts_url": request.get_full_path(), "tag": tag, **_ranges(shown)}

    if is_poll(request):
        drawn = share_region(
            request, lambda: render_to_string("mandor/components/_charts.html", find(), request), version=tag
        )
        return _answer(HttpResponse(drawn), tag)
    return render_frame(request, "mandor/charts.html", {**find(), "above": above, "above_url": above_url})


def read_range(request: HttpRequest) -> Range:
    """Return the range that the address names, the last hour without one."""
    return RANGES.get(request.GET.get("range", ""), next(iter(RANGES.values())))


def _ranges(shown: Range) -> dict[str, Any]:
    return {"shown": shown.name, "ranges": RANGE_WORDS.items()}


def _draw(chart: Chart, grid: Grid) -> DrawnChart:
    columns = [[figure(value, chart.unit) for value in series.values] for series in chart.series]
    return DrawnChart(
        name=chart.name,
        title=TITLES[chart.name],
        unit=chart.unit,
        unit_word=UNIT_WORDS[chart.unit],
        lines=tuple(_line(chart, place) for place in range(len(chart.series))),
        rows=tuple(zip(grid.starts, zip(*columns, strict=True), strict=True)),
        left_out=chart.left_out,
    )


def _line(chart: Chart, place: int) -> Line:
    series = chart.series[place]
    label, tone = (series.name, QUEUE_TONES[place]) if chart.by_queue else SERIES[series.name]
    return Line(label, tone, latest(series.values, chart.unit))


def _answer(response: HttpResponse, tag: str) -> HttpResponse:
    response["Cache-Control"] = "no-store"
    response["HX-PTag"] = tag
    patch_vary_headers(response, ["HX-Request", "HX-Request-Type", "Cookie"])
    return response
