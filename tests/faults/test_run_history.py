"""The checker of histories: it finds what was doctored."""

from collections import Counter
from dataclasses import replace

import pytest

from tests.faults.marks import Mark, Run, runs_of
from tests.faults.run_history import History, JobRecord, breaches

FIRST = Run("11.1", job="a", worker=1, resource="r", began=0, ended=1)
SECOND = Run("22.1", job="b", worker=2, resource="r", began=2, ended=3)
AGAIN = Run("22.2", job="a", worker=2, resource="r", began=4, ended=5)
SOUND = History(
    enqueued=frozenset("ab"),
    runs=(FIRST, SECOND),
    records={
        "a": JobRecord("a", "mail", "finished", committed=("11.1",)),
        "b": JobRecord("b", "mail", "finished", committed=("22.1",)),
    },
    counts={"mail": Counter(enqueued=2, finished=2)},
    cached={"mandor:cache:x": "22.1"},
)


def with_a(history: History = SOUND, **changes: object) -> History:
    return replace(history, records=history.records | {"a": replace(history.records["a"], **changes)})


def test_a_sound_history_has_no_breach():
    assert breaches(SOUND) == []


def test_a_killed_workers_job_may_run_to_its_end_twice_and_is_committed_once():
    again = with_a(replace(SOUND, runs=(FIRST, SECOND, AGAIN), struck=frozenset({1})), committed=("22.2",), crashes=1)

    assert breaches(replace(again, counts={"mail": Counter(enqueued=2, finished=2, crashed=1)})) == []


@pytest.mark.parametrize(
    ("doctored", "found"),
    [
        (replace(SOUND, records={"b": SOUND.records["b"]}), "a has no record"),
        (with_a(status="queued"), "a is queued"),
        (replace(SOUND, runs=(replace(FIRST, ended=None), SECOND)), "never ran to its end"),
        (with_a(committed=()), "finished without a result"),
        (with_a(committed=("99.9",)), "holds the result of 99.9"),
        (with_a(replace(SOUND, runs=(FIRST, SECOND, replace(AGAIN, ended=None)))), "superseded"),
        (replace(SOUND, runs=(FIRST, SECOND, AGAIN), struck=frozenset({1})), "superseded"),
        (with_a(committed=("11.1", "11.1")), "committed 2 times"),
        (with_a(replace(SOUND, runs=(FIRST, SECOND, AGAIN)), committed=("22.2",)), "on an unharmed worker"),
        (replace(SOUND, runs=(FIRST, replace(SECOND, began=0))), "before 11.1, unharmed, had ended"),
        (replace(SOUND, cached={"mandor:cache:x": "99.9"}), "holds the value of 99.9"),
        (replace(SOUND, counts={"mail": Counter(enqueued=2, finished=3)}), "counts 3 finished, and 2 to 2 are there"),
        (with_a(failures=1), "1 failures are on record"),
        (with_a(crashes=1), "counts 0 crashed"),
        (replace(SOUND, left_over=("rq:wip:mail",)), "left over"),
    ],
)
def test_a_doctored_history_is_found_out(doctored, found):
    assert any(found in breach for breach in breaches(doctored)), breaches(doctored)


def test_runs_are_read_from_their_marks():
    lines = [("11.1", "began"), ("22.1", "began"), ("11.1", "ended"), ("22.1", "raised"), ("33.1", "began")]
    marks = [Mark(run, what, job="a", worker=1, resource="") for run, what in lines]

    first, second, third = runs_of(marks)

    assert (first.began, first.ended, first.raised) == (0, 2, False)
    assert (second.ended, second.raised) == (None, True)
    assert (third.ended, third.raised) == (None, False)
    assert first.horse == 11
