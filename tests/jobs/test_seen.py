"""A job as it was seen: what a form carries comes back exactly."""

import pytest

from jobs.seen import SeenJob, read_seen, seen_token


@pytest.mark.parametrize("name", ["plain", "a b/c:d:e", "Zürich 🦊", "\udcff\udcfe\x00", "%41", "x" * 3000])
def test_any_name_comes_back_from_a_form(name: str):
    job = SeenJob(name, name, "0123456789ab")

    assert str(job).isascii()
    assert read_seen(str(job)) == job


@pytest.mark.parametrize("text", ["", "::", "a:b", "a:b:c", "a:b:c:d", "0123456789ab:mail:"])
def test_any_other_text_is_nobody(text: str):
    assert read_seen(text) is None


def test_a_parked_job_is_a_waiting_one_and_a_dead_one_is_told_by_when_it_died():
    assert seen_token(b"scheduled", b"parked", None, None) == seen_token(b"queued", b"", None, None)
    assert seen_token(b"failed", None, b"1", b"x") == seen_token(b"failed", b"", b"1", b"y")
    assert seen_token(b"failed", None, b"1", None) != seen_token(b"failed", None, b"2", None)
