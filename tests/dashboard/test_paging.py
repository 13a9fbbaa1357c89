"""Fifty rows a page, with links that keep the filters."""

import pytest
from django.test import RequestFactory

from dashboard.paging import build_page, read_page_number


@pytest.mark.parametrize(("asked", "number"), [("3", 3), ("", 1), ("0", 1), ("-2", 1), ("x", 1), ("9" * 30, 1)])
def test_whatever_is_no_page_is_the_first(asked: str, number: int):
    assert read_page_number(RequestFactory().get("/", {"page": asked})) == number


def test_the_neighbours_keep_the_filters():
    page = build_page(RequestFactory().get("/activity/?who=ann&page=2"), total=120)

    assert (page.previous_url, page.next_url) == ("?who=ann&page=1", "?who=ann&page=3")
    assert (page.first, page.has_next) == (51, True)


def test_the_last_page_has_no_next():
    assert not build_page(RequestFactory().get("/?page=3"), total=120).has_next
