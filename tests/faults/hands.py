"""Processes for storms, forked from one that has the project loaded: they start in a moment instead of in seconds."""

import multiprocessing
import os
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any

QUEUES = ("reports", "mail", "billing")
ALLOWED = {"ALLOW": ["tests.samples.callbacks.*"]}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a process works: its server, its folder for marks and logs, and its `MANDOR` settings."""

    url: str
    folder: Path
    mandor: dict[str, Any] = field(default_factory=dict)

    @property
    def marks(self) -> Path:
        return self.folder / "marks"


def start(place: Place, *command: str) -> ForkServerProcess:
    """Start a management command in a session of its own; what it says goes to a log in the place's folder."""
    process = _context().Process(target=_run, args=(place, command))
    process.start()
    return process


def start_stock_scheduler(place: Place) -> ForkServerProcess:
    """Start RQ's own scheduler for all queues."""
    process = _context().Process(target=_run_stock_scheduler, args=(place,))
    process.start()
    return process


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.hands_ready"])
    return context


def _run(place: Place, command: tuple[str, ...]) -> None:
    from django.core.management import execute_from_command_line

    _settle(place)
    execute_from_command_line(["manage.py", *command])


def _run_stock_scheduler(place: Place) -> None:
    from django_rq import get_connection
    from rq.scheduler import RQScheduler

    _settle(place)
    scheduler = RQScheduler(QUEUES, get_connection(QUEUES[0]), interval=1)
    scheduler.acquire_locks()
    scheduler.work()


def _settle(place: Place) -> None:
    """Make this process one of the place."""
    from django.test import override_settings

    os.setsid()
    log = os.open(place.folder / f"{os.getpid()}.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ["MARKS"] = str(place.marks)
    override_settings(RQ_QUEUES={name: {"URL": place.url} for name in QUEUES}, MANDOR=ALLOWED | place.mandor).enable()
