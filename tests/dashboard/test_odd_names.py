"""Locks and cache entries whose names cannot be seen or told apart: each is listed, opened, released, invalidated."""

import re
from datetime import timedelta
from html import unescape

from rq import Worker

from jobs import caching, keys
from jobs.connection import store
from jobs.names import sent, written
from tests.dashboard.conftest import SignIn

NAMES = ["a b", "a  b", "a\nb", " a b", "a\x00b", "a\\b", "\u202eevil", "\udcff", "Zürich 🦊", "../a&b=c#d", "x" * 400]
LOCK = re.compile(r'href="(/locks/show/\?resource=[^"#]*)" title=')
ENTRY = re.compile(r'href="(/cache/entry/\?key=[^"#]*)"')
HIDDEN = r'name="{}" value="([^"]*)"'
MINUTE = timedelta(minutes=1)


def hidden(field: str, page: str) -> str:
    found = re.search(HIDDEN.format(field), page)
    assert found, field
    return unescape(found[1])


def put_on_index(name: str) -> None:
    store().hset(sent(keys.lock(name)), mapping={"token": 7, "holder": "ann", "acquired": 1, "lease": 1, "max": 1})
    store().zadd(keys.LOCKS, {sent(name): 1})


def write_entry(name: str) -> None:
    caching.get_or_refresh("template", lambda: 1, fresh_for=MINUTE, stale_for=MINUTE)
    store().copy(keys.cache("template"), sent(keys.cache(name)))
    store().zadd(keys.CACHE_INDEX, {sent(name): 1})


def test_each_lock_is_listed_opened_and_released(sign_in: SignIn) -> None:
    client = sign_in("admin")
    for name in NAMES:
        put_on_index(name)

    links = [unescape(link) for link in LOCK.findall(client.get("/locks/").content.decode())]
    assert len(set(links)) == len(NAMES)
    for left, link in reversed(list(enumerate(links))):
        page = client.get(link).content.decode()
        client.post("/locks/release/", {name: hidden(name, page) for name in ("resource", "token")})
        assert len(store().keys(keys.lock("*"))) == left


def test_a_lock_of_a_living_holder_is_released_by_its_name_as_it_is_written(sign_in: SignIn) -> None:
    client, name = sign_in("admin"), "a\nb"
    put_on_index(name)
    Worker(["mail"], name="web-1", connection=store()).register_birth()
    store().hset(keys.lock(name), "worker", "web-1")
    page = client.get("/locks/show/", {"resource": written(name)}).content.decode()
    must_equal = re.search(r'data-must-equal="([^"]*)"', page)
    assert must_equal

    form = {field: hidden(field, page) for field in ("resource", "token")}
    client.post("/locks/release/", {**form, "typed": must_equal[1], "reason": "it hangs"})

    assert "\n" not in form["resource"] + must_equal[1]
    assert not store().exists(keys.lock(name))


def test_each_entry_is_listed_opened_and_invalidated_and_no_other(sign_in: SignIn) -> None:
    client = sign_in("admin")
    for name in NAMES:
        write_entry(name)
    caching.invalidate("template")

    listed = client.get("/cache/").content.decode()
    links = {unescape(link) for link in ENTRY.findall(listed)} - {"/cache/entry/?key=template"}
    assert len(links) == len(NAMES)
    for link in links:
        before = len(store().keys(keys.cache("*")))
        page = client.get(link).content.decode()
        client.post("/cache/invalidate/", {"key": hidden("key", page)})
        assert len(store().keys(keys.cache("*"))) == before - 1


def test_a_job_whose_id_is_no_utf_8_has_its_page(sign_in: SignIn) -> None:
    client = sign_in("viewer")
    store().rpush(keys.queue("mail"), b"\xff")
    store().hset(b"rq:job:\xff", mapping={"origin": "mail", "status": "queued", "m_name": "odd"})
    link = re.search(r'href="(/jobs/~[^"]*)"', client.get("/jobs/?state=waiting").content.decode())
    assert link

    page = client.get(unescape(link[1]))

    assert page.status_code == 200
    assert "odd" in page.content.decode()
