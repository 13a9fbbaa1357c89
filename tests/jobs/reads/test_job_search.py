"""What is typed into the search: words, qualifiers, quotes, and the jobs that are found by it."""

from typing import Any

import pytest
from rq import Queue

from jobs import keys
from jobs.connection import store
from jobs.reads.job_lists import JobFilter
from jobs.reads.job_search import JobSearch, read_search
from jobs.reads.job_windows import FARTHER, RELIABLE, WINDOW, affordable
from jobs.reads.jobs import list_jobs
from tests.factories import LOCKED, bury, enqueue


def found(typed: str, state: str = "waiting") -> list[str]:
    return [row.id for row in list_jobs(JobFilter(state=state, search=read_search(typed))).rows]


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        ("", {}),
        ("42 hello", {"words": ("42", "hello")}),
        ("func:send error:ValueError", {"func": "send", "error": "ValueError"}),
        ('error:"no such address" queue:"my q"', {"error": "no such address", "queue": "my q"}),
        ('"two words" resource:report:42', {"words": ("two words",), "resource": "report:42"}),
        ("report:42", {"words": ("report:42",)}),
        ('func: error:"open', {"error": "open"}),
        ("id:abc", {"id": "abc"}),
    ],
)
def test_what_is_typed_means(typed: str, parts: dict[str, Any]):
    assert read_search(typed) == JobSearch(typed, **parts)


@pytest.mark.parametrize(
    ("typed", "name"), [("report:42", "report:42"), ("id:abc", "abc"), ("a b", "a b"), ("func:x y", ""), ("id:a b", "")]
)
def test_only_what_stands_alone_may_be_a_name(typed: str, name: str):
    assert read_search(typed).name == name


def test_jobs_are_found_by_each_part_in_any_case():
    (echo,) = enqueue(text="Hello World")
    (locked,) = enqueue(LOCKED, report_id=42)

    assert found("hello") == found('"hello world"') == found("func:ECHO") == found(f"id:{echo[:8]}") == [echo]
    assert found("resource:report:42") == found("report_id 42") == [locked]
    assert found("hello func:locked") == []


def test_dead_letters_are_found_by_their_error():
    job_id = bury(error="KeyError: 'name'")
    bury()

    assert found("error:keyerror", "dead") == [job_id]


def test_secrets_and_pickles_are_not_searched():
    enqueue("tests.samples.jobs.echo", text="x")
    Queue("mail", connection=store()).enqueue("a.b", "secret word")
    Queue("mail", connection=store()).enqueue("a.b", password="hunter2")

    assert found("hunter2") == []


def test_a_search_looks_farther_than_a_list_and_says_how_far(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("jobs.reads.jobs.affordable", lambda *_: FARTHER[-1])
    store().rpush(keys.queue("mail"), *(f"job-{n}" for n in range(WINDOW + FARTHER[-1])))
    (job_id,) = enqueue(text="needle")

    listed = list_jobs(JobFilter(queue="mail", search=read_search("needle")))
    rest = list_jobs(JobFilter(queue="mail", search=read_search("needle"), start=listed.next_start))

    assert (listed.searched, listed.held, listed.matches, listed.more) == (2500, 2501, 0, True)
    assert ([row.id for row in rest.rows], rest.more) == ([job_id], False)


def test_a_search_takes_as_much_as_its_time_allows():
    assert affordable(WINDOW, 0.01) == FARTHER[0]
    assert affordable(WINDOW, 0.05) == FARTHER[-1]
    assert affordable(WINDOW, 0.5) == 0
    assert affordable(RELIABLE - 1, 0.5) == FARTHER[-1]


def test_a_list_that_grows_at_its_top_stands_still_and_counts_what_came():
    first, second = bury(), bury()
    drawn = list_jobs(JobFilter(state="dead"))
    newest = bury()

    later = list_jobs(JobFilter(state="dead", as_of=drawn.as_of))

    assert [row.id for row in later.rows] == [second, first]
    assert (later.newer, later.held, later.as_of) == (1, 2, drawn.as_of)
    assert list_jobs(JobFilter(state="dead")).rows[0].id == newest


def test_an_empty_list_and_one_that_grows_at_its_end_need_no_anchor():
    enqueue()

    assert list_jobs(JobFilter(state="dead")).as_of is None
    assert list_jobs(JobFilter(state="waiting")).as_of is None
