"""Whatever lies in Redis, each job that a list shows has its page, and can be discarded and restored from the list."""

import re
from html import unescape

import pytest
from django.urls import reverse

from jobs import keys
from jobs.connection import store
from jobs.names import written
from jobs.seen import read_seen
from tests.dashboard.conftest import SignIn
from tests.dashboard.test_hostile import (
    OPENED,
    STATES,
    huge_arguments,
    loud_fields,
    loud_ids,
    missing_records,
    pickled_bomb,
    put_everywhere,
)
from tests.factories import bury

NAMES = [
    "a/b",
    "a b/c:d:e",
    "/",
    "..",
    "retry",
    "x/retry",
    "Zürich 🦊",
    "\u202eevil",
    "100%",
    "?q=#",
    "~2f",
    "\\",
    '"><b>',
]
LARGEST_PAGE = 400_000


def odd_names() -> None:
    record = store().hgetall(keys.job(bury(text="odd")))
    for name in NAMES:
        store().hset(keys.job(name), mapping=record)
        store().zadd(keys.failed("mail"), {name: 4_000_000_000})


def long_traceback() -> None:
    job_id = bury(error="\u202e" + "E" * 5_000)
    lines = '"' + "\\n".join(["  File x, line 1"] * 10_000) + '"'
    store().lpush(keys.attempts(job_id), '{"outcome": "failed", "traceback": ' + lines + "}")
    store().hset(keys.job(job_id), "m_resource", "r" * 100_000)


HORRORS = [
    odd_names,
    long_traceback,
    loud_fields,
    loud_ids,
    huge_arguments,
    pickled_bomb,
    missing_records,
]


def each_horror(test):
    return pytest.mark.parametrize("horror", HORRORS, ids=[horror.__name__ for horror in HORRORS])(test)


@each_horror
def test_each_job_that_is_linked_has_its_page(sign_in: SignIn, horror) -> None:
    client = sign_in("admin")
    horror()
    lists = "".join(client.get(f"/jobs/?state={state}").content.decode() for state in STATES)
    links = {unescape(link) for link in re.findall(r'-link" href="(/jobs/[^"]+)"', lists)}
    assert links

    for link in links:
        answer = client.get(link)

        assert answer.status_code in (200, 404), link
        assert len(answer.content) < LARGEST_PAGE, link
        assert b"<script>alert" not in answer.content
        assert "\u202e" not in answer.content.decode()
    assert not OPENED.exists()


@each_horror
def test_each_job_that_is_listed_goes_to_the_bin_and_comes_back(sign_in: SignIn, horror) -> None:
    client = sign_in("operator")
    horror()
    lists = "".join(client.get(f"/jobs/?state={state}").content.decode() for state in STATES)
    seen = sorted({unescape(value) for value in re.findall(r'form="selection" name="job" value="([^"]+)"', lists)})
    assert seen
    ids = {job.job_id for job in map(read_seen, seen) if job}

    assert client.post("/jobs/discard/", {"job": seen}).status_code == 200
    assert client.post("/jobs/discard/", {"job": seen, "confirmed": "yes"}).status_code == 303
    for job_id in ids:
        there = [key(job_id).encode("utf-8", "surrogateescape") for key in (keys.binned, keys.executions)]
        assert store().exists(*there), job_id

    page = client.get("/jobs/?state=discarded").content.decode()
    back = [unescape(value) for value in re.findall(r'form="selection" name="job" value="([^"]+)"', page)]
    assert client.post("/jobs/restore/", {"job": back, "confirmed": "yes"}).status_code == 303
    assert store().zcard(keys.bin_of("mail")) == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_job_with_an_odd_id_is_discarded_on_its_page(sign_in: SignIn, name: str) -> None:
    odd_names()
    client = sign_in("operator")
    page = client.get(reverse("mandor:job", args=[written(name)])).content.decode()
    form = re.search(r'action="([^"]+/discard/)">.*?name="job" value="([^"]+)"', page, re.DOTALL)
    assert form

    client.post(unescape(form[1]), {"job": unescape(form[2])})

    assert store().zscore(keys.bin_of("mail"), name)


def test_a_job_everywhere_at_once_leaves_every_list(sign_in: SignIn) -> None:
    job_id = bury()
    put_everywhere(job_id)
    store().delete(keys.started("mail"))
    client = sign_in("operator")
    page = client.get("/jobs/?state=dead").content.decode()
    seen = re.search(r'form="selection" name="job" value="([^"]+)"', page)
    assert seen

    client.post("/jobs/discard/", {"job": seen[1], "confirmed": "yes"})

    for registry in (keys.failed, keys.finished, keys.scheduled, keys.deferred, keys.canceled, keys.parked):
        assert store().zscore(registry("mail"), job_id) is None
    assert store().llen(keys.queue("mail")) == 0
