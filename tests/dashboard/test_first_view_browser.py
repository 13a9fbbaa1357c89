"""A page is light and stands still from its first paint on: on a desk and on a phone."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.dashboard.conftest import open_path
from tests.every_page import fill_every_page

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
HEADERS = 300
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 780}
FIRST_VIEW = 150_000
LATER_VIEW = 15_000
MOST_SHIFT = 0.01
WATCH = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
TRANSFERS = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .map((entry) => [new URL(entry.name).pathname, entry.transferSize])"""


def view(page: Page, url: str) -> tuple[int, float]:
    """Return how many bytes came for a page and all it needs, and how much of it moved."""
    page.goto(url, wait_until="networkidle")
    return sum(weight(*transfer) for transfer in page.evaluate(TRANSFERS)), page.evaluate("shift")


def weight(path: str, transferred: int) -> int:
    """Return what came for a path; a file of ours counts as it is served once it is collected: compressed."""
    file = ROOT / path.lstrip("/")
    return min(transferred, len(gzip.compress(file.read_bytes())) + HEADERS) if file.is_file() else transferred


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_no_page_moves_and_only_the_first_one_weighs(browser: Browser, dashboard_url: str, size: Any):
    fill_every_page()
    context = browser.new_context(viewport=size)
    context.add_init_script(WATCH)
    page = open_path(context.new_page(), dashboard_url, "viewer", "/healthz")

    views = {path: view(page, dashboard_url + path) for path in ("/", "/jobs/", "/locks/", "/queues/mail/")}
    context.close()

    weights = [weight for weight, _ in views.values()]
    assert weights[0] <= FIRST_VIEW
    assert max(weights[1:]) <= LATER_VIEW, views
    assert max(shift for _, shift in views.values()) <= MOST_SHIFT, views
