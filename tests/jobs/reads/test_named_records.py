"""Records that a list or a set names: the same answer, whatever of SORT the server allows."""

import math
from collections.abc import Iterator
from typing import Any

import pytest
from redis import Redis

from jobs.connection import store
from jobs.reads import named_records
from jobs.reads.named_records import RecordsQuestion
from jobs.reads.trips import Trip

ROWS = [(b"a", b"1", b"x"), (b"b", b"2", None), (b"\xff c", None, None)]


@pytest.fixture(autouse=True)
def _forgetful(monkeypatch):
    monkeypatch.setattr(named_records, "_read_only", set())
    monkeypatch.setattr(named_records, "_refused_until", {})
    monkeypatch.setattr(named_records, "PART", 2)


@pytest.fixture(autouse=True)
def _records():
    store().hset("record:a", mapping={"size": 1, "colour": "x"})
    store().hset("record:b", mapping={"size": 2})
    for score, member in enumerate((b"a", b"b", b"\xff c")):
        store().rpush("list", member)
        store().zadd("zset", {member: score})
        store().sadd("set", member)


@pytest.fixture
def restricted() -> Iterator[Redis]:
    """A client of a user who may read these keys, but not all."""
    store().acl_setuser("reader", enabled=True, nopass=True, keys=["record:*", "list"], commands=["+@all"])
    pool = store().connection_pool
    options = pool.connection_kwargs | {"username": "reader", "password": "any"}
    yield Redis(connection_pool=type(pool)(pool.connection_class, **options))
    store().acl_deluser("reader")


def read(kind: str, most: int = 3, client: Redis | None = None, **options: bool) -> list[tuple[Any, ...]]:
    question = RecordsQuestion(kind, "record:*", ("size", "colour"), kind=kind, client=client, **options)
    for ask in (question.ask_members, question.ask):
        trip = Trip(client)
        ask(trip, most)
        trip.go()
    return question.answer()


def forbid(way: str) -> None:
    pool = store().connection_pool
    if way == "read-only":
        named_records._read_only.add(pool)
    elif way == "each":
        named_records._refused_until[pool] = math.inf


@pytest.mark.parametrize("way", ["together", "read-only", "each"])
def test_each_member_comes_with_its_records_fields_in_order(way):
    forbid(way)

    assert read("list") == read("zset") == ROWS
    assert sorted(read("set")) == ROWS
    assert read("zset", 2, newest_first=True) == ROWS[:0:-1]
    assert read("list", 1) == ROWS[:1]
    assert RecordsQuestion("list", "*", ("size",), kind="list").answer() == []


@pytest.mark.parametrize("way", ["together", "each"])
def test_a_key_of_another_type_names_nothing(way):
    forbid(way)
    store().set("zset", "no set", keepttl=False)

    assert read("zset") == []


def test_a_user_who_may_not_read_all_keys_is_asked_for_each_and_soon_refused_no_more(restricted):
    store().config_resetstat()

    assert [read("list", client=restricted) for _ in range(4)] == [ROWS] * 4

    assert sum(error["count"] for error in store().info("errorstats").values()) <= 2 * 2  # two commands, of two parts


def test_a_full_server_is_asked_otherwise_and_as_usual_once_it_has_room():
    store().config_set("maxmemory", 1)
    assert [read("list") for _ in range(3)] == [ROWS] * 3
    store().config_set("maxmemory", 0)

    assert read("list") == ROWS
    assert math.inf not in named_records._refused_until.values()
