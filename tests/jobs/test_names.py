"""Names of queues and workers as printable text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.names import LONGEST, exact, written


@given(st.binary(max_size=60) | st.text(alphabet="a \\x0\n\u202e\u00a0é🦊/", max_size=30).map(str.encode))
def test_every_name_comes_back_as_it_was(name: bytes):
    text = written(name)

    assert text.isprintable()
    assert text == " ".join(text.split())
    assert exact(text).encode("utf-8", "surrogateescape") == name


@pytest.mark.parametrize("name", ["mail", "team/reports", "a b", "Zürich", "🦊"])
def test_a_name_that_can_be_read_stays_as_it_is(name: str):
    assert written(name) == written(name.encode()) == name


@pytest.mark.parametrize(
    ("name", "text"),
    [("a\n", r"a\x0a"), (" a", r"\x20a"), ("a\\b", r"a\\b"), ("\u202e", r"\xe2\x80\xae"), (b"\xff", r"\xff")],
)
def test_what_cannot_be_seen_is_spelled(name: str | bytes, text: str):
    assert written(name) == text


def test_a_name_that_is_too_long_is_cut():
    assert len(written("x" * 10_000)) == LONGEST
