"""What a job may change around it, and the next job in the same process must find as it was."""

import locale
import os
import signal
import sys
import threading
from dataclasses import dataclass
from typing import Any, Self

from django import db
from django.utils import timezone, translation

from jobs.conf import conf
from jobs.memory import memory_used, peak_memory

OWN_THREADS = frozenset({"lifeline", "cache counts", "lease renewals", "lease revocations"})
TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
SIGNALS = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The process as it was when no job had run in it yet."""

    folder: str
    environment: dict[str, str]
    locale: str
    umask: int
    handlers: dict[int, Any]
    blocked: set[int]
    streams: tuple[Any, Any, Any]
    threads: frozenset[threading.Thread]

    @classmethod
    def now(cls) -> Self:
        """Return what is around at this moment."""
        return cls(
            folder=os.getcwd(),  # noqa: PTH109  chdir takes it back as it is
            environment=dict(os.environ),
            locale=locale.setlocale(locale.LC_ALL),
            umask=_umask(),
            handlers={number: signal.getsignal(number) for number in SIGNALS},
            blocked=set(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
            streams=(sys.stdin, sys.stdout, sys.stderr),
            threads=frozenset(threading.enumerate()),
        )

    def restore(self) -> str:
        """Put everything back. Returns why this process should run no other job; empty when it may."""
        for timer in TIMERS:
            signal.setitimer(timer, 0)
        for number, handler in self.handlers.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, self.blocked)
        os.chdir(self.folder)
        os.umask(self.umask)
        _restore_environment(self.environment)
        if locale.setlocale(locale.LC_ALL) != self.locale:
            locale.setlocale(locale.LC_ALL, self.locale)
        sys.stdin, sys.stdout, sys.stderr = self.streams
        translation.deactivate()
        timezone.deactivate()
        return _restore_databases() or self._left_over()

    def _left_over(self) -> str:
        for thread in threading.enumerate():
            if thread not in self.threads and thread.name not in OWN_THREADS:
                return f"its job left the thread {thread.name}"
        if _has_children():
            return "its job left a child process"
        limit = conf().HORSE_MEMORY
        if peak_memory() > limit and (used := memory_used()) > limit:
            return f"it has {used:,} bytes of memory"
        return ""


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _restore_environment(before: dict[str, str]) -> None:
    """Set what was changed only: each assignment goes through to the process's own environment."""
    now = dict(os.environ)
    for name in now.keys() - before.keys():
        del os.environ[name]
    for name, value in before.items():
        if now.get(name) != value:
            os.environ[name] = value


def _restore_databases() -> str:
    """Leave the database connections as Django does between two requests."""
    db.reset_queries()
    for connection in db.connections.all(initialized_only=True):
        if connection.in_atomic_block:
            return "its job left a transaction open"
        connection.close_if_unusable_or_obsolete()
    return ""


def _has_children() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True
