"""Names as one part of an address."""

import pytest
from django.test import RequestFactory
from django.urls import resolve, reverse
from hypothesis import given
from hypothesis import strategies as st

from jobs.names import written


@pytest.mark.parametrize("name", ["a/pause", "/", "//", "a/", ".", "..", "~", "~2f", "%2f", "a b?c#d&e", "é🦊", "a\\b"])
def test_any_name_is_one_part_of_its_address(name: str) -> None:
    path = RequestFactory().get(reverse("mandor:queue", args=[written(name)])).path_info

    assert resolve(path).kwargs == {"name": written(name)}
    assert path.count("/") == 3


@given(st.text(alphabet="a/.~\\ %é\n", min_size=1, max_size=12))
def test_a_name_comes_back_from_its_address(name: str) -> None:
    path = RequestFactory().get(reverse("mandor:queue", args=[written(name)])).path_info

    assert resolve(path).kwargs == {"name": written(name)}


def test_a_plain_name_is_its_address() -> None:
    assert reverse("mandor:queue", args=["high-priority.v2"]) == "/queues/high-priority.v2/"
