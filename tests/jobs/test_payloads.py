import json
import pickle
import zlib

import pytest

from jobs.payloads import LARGEST, Payload, read_payload

FORBIDDEN = b"cos\nsystem\n(S'echo opened'\ntR."


def payload(*parts, pack=zlib.compress):
    return pack(json.dumps(parts).encode())


@pytest.mark.parametrize("pack", [zlib.compress, bytes])
def test_a_call_reads_as_it_was_written(pack):
    data = payload("reports.build", None, [1], {"report_id": 42, "name": "x", "token": "abc"}, pack=pack)

    assert read_payload(data) == Payload("reports.build", '1, report_id=42, name="x", token="[masked]"', "")


def test_arguments_are_cut_to_the_limit():
    shown = read_payload(payload("f", None, [], {"name": "x" * 400}), limit=100).arguments

    assert len(shown) == 100
    assert shown.endswith("…")


def test_characters_that_no_font_shows_are_made_visible():
    shown = read_payload(payload("f\x1b[31m", None, [], {"name\u202e": "a\u2066b\ud800"}))

    assert shown.function == "f\\u001b[31m"
    assert shown.arguments == 'name\\u202e="a\\u2066b\\ud800"'


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (None, "missing"),
        (b"", "missing"),
        (zlib.compress(pickle.dumps(("f", None, (), {}))), "pickled"),
        (pickle.dumps(("f", None, (), {})), "pickled"),
        (FORBIDDEN, "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (zlib.compress(b"[" * 50_000), "not JSON"),
        (payload("f", None, [], {})[:-6], "cut off"),
        (payload("f", None, []), "not a call"),
        (payload(7, None, [], {}), "not a call"),
        (zlib.compress(b"9" * 10_000), "not JSON"),
        (zlib.compress(b" " * (LARGEST + 1)), "larger than 64 KiB"),
        (b" " * (LARGEST + 1), "larger than 64 KiB"),
    ],
)
def test_a_payload_that_cannot_be_read_says_why(data, problem):
    shown = read_payload(data)

    assert problem in shown.problem
    assert shown.function == shown.arguments == ""


def test_a_small_payload_that_inflates_to_gigabytes_is_refused_early():
    assert "larger" in read_payload(zlib.compress(b"\0" * 50_000_000)).problem
