"""Twenty resources, holders that are killed, frozen and robbed of their locks: no write with an overtaken token."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from jobs import keys, locks
from jobs.connection import store
from tests.waiting import eventually

ROOT = Path(__file__).parents[2]
RESOURCES, USERS = 20, 6

HISTORY = """
CREATE TABLE history (id INTEGER PRIMARY KEY, resource TEXT, fence INTEGER, writer TEXT);
CREATE TRIGGER remember AFTER UPDATE ON samples_ledger
BEGIN INSERT INTO history (resource, fence, writer) VALUES (new.resource, new.fence, new.writer); END;
"""


@pytest.fixture
def ledger(tmp_path) -> Iterator[Path]:
    """A database of its own whose every accepted write is remembered, in the order in which it was accepted."""
    path = tmp_path / "ledger.sqlite3"
    environment = os.environ | {"DATABASE_URL": f"sqlite:///{path}"}
    migrate = [sys.executable, "manage.py", "migrate", "--run-syncdb", "--verbosity=0", "--settings=tests.settings"]
    subprocess.run(migrate, cwd=ROOT, env=environment, check=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(HISTORY)
        rows = [(f"r{number}",) for number in range(RESOURCES)]
        database.executemany("INSERT INTO samples_ledger (resource, fence, writer) VALUES (?, 0, '')", rows)
    return path


class Users:
    """The processes that use the locks, and what is done to them."""

    def __init__(self, ledger: Path) -> None:
        self.environment = os.environ | {"DATABASE_URL": f"sqlite:///{ledger}", "LOG_LEVEL": "ERROR"}
        self.chance = random.Random(7)  # noqa: S311
        self.started = 0
        self.processes = [self.start() for _ in range(USERS)]

    def start(self) -> "subprocess.Popen[bytes]":
        self.started += 1
        command = [sys.executable, "tests/faults/lock_user.py", f"user{self.started}", str(RESOURCES)]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=quiet, stderr=quiet)

    def kill_one(self) -> None:
        index = self.chance.randrange(USERS)
        self.processes[index].kill()
        self.processes[index].wait()
        self.processes[index] = self.start()

    def freeze_one(self) -> None:
        """Stop one beyond its lease, so that another takes over what it holds, and let it go on."""
        frozen = self.chance.choice(self.processes)
        frozen.send_signal(signal.SIGSTOP)
        time.sleep(1.3)
        frozen.send_signal(signal.SIGCONT)

    def rob_one(self) -> None:
        held = store().zrange(keys.LOCKS, 0, -1)
        if held:
            resource = self.chance.choice(held).decode()
            token = store().hget(keys.lock(resource), "token")
            if token:
                locks.force_release(resource, token=int(token), by="ana", reason="chaos")

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


def storm(ledger: Path, seconds: float) -> list[tuple[str, int]]:
    """Run users, and once all are at work faults for a while; returns the accepted writes in order: resource, token."""
    users = Users(ledger)
    try:
        eventually(lambda: len({resource for resource, _ in read_history(ledger)}) == RESOURCES, within=60)
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            users.chance.choices([users.kill_one, users.freeze_one, users.rob_one], weights=[1, 2, 6])[0]()
            time.sleep(users.chance.uniform(0, 0.3))
    finally:
        users.end()
    return read_history(ledger)


def read_history(ledger: Path) -> list[tuple[str, int]]:
    with closing(sqlite3.connect(ledger, timeout=10)) as database:
        return list(database.execute("SELECT resource, fence FROM history ORDER BY id"))


def check(history: list[tuple[str, int]]) -> None:
    highest: dict[str, int] = {}
    for resource, token in history:
        assert token >= highest.get(resource, 0), f"{resource}: a write with {token} after one with {highest[resource]}"
        highest[resource] = token
    assert len(highest) == RESOURCES
    assert len(history) > 100


def test_no_write_with_an_overtaken_token_in_a_short_storm(ledger):
    check(storm(ledger, 15))


@pytest.mark.chaos
def test_no_write_with_an_overtaken_token_in_ten_minutes(ledger):
    check(storm(ledger, 600))
