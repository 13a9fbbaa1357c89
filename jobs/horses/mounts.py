"""A worker's end of a horse: fork it, give it orders, hear what it says, see it end."""

import os
import select
import signal
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from jobs.horses.child import live
from jobs.horses.messages import MessageReader, Order, framed
from jobs.memory import PEAK_UNIT

if TYPE_CHECKING:
    from jobs.worker import Worker

PIECE = 65_536
EXIT_GRACE_S = 5.0


@dataclass(frozen=True, slots=True)
class Ending:
    """How a horse ended: its exit status as `os.wait` gives it, and the most memory it had, in bytes."""

    status: int
    peak_memory: int


@dataclass(slots=True)
class Horse:
    """A child process that runs jobs. The pipes are file descriptors."""

    pid: int
    orders: int
    reports: int
    lifeline: int
    unsent: bytes = b""
    inbox: deque[bytes] = field(default_factory=deque)
    silent: bool = False
    ending: Ending | None = None
    _reader: MessageReader = field(default_factory=MessageReader)

    @classmethod
    def fork(cls, worker: "Worker") -> Self:
        """Start a horse for a worker; it waits for its first order."""
        orders_read, orders_write = os.pipe()
        reports_read, reports_write = os.pipe()
        lifeline_read, lifeline_write = os.pipe()
        pid = os.fork()
        if pid == 0:
            for parents in (orders_write, reports_read, lifeline_write):
                os.close(parents)
            live(worker, orders=orders_read, reports=reports_write, lifeline=lifeline_read)
        with suppress(OSError):
            os.setpgid(pid, pid)
        for childs in (orders_read, reports_write, lifeline_read):
            os.close(childs)
        os.set_blocking(orders_write, False)
        return cls(pid, orders_write, reports_read, lifeline_write)

    def give(self, order: Order) -> None:
        """Begin to hand over an order; `push` goes on with what the pipe did not take."""
        self.unsent = framed(order.written())
        self.push()

    def push(self) -> None:
        """Write what is unsent, as far as it goes. A horse that is gone takes nothing."""
        try:
            self.unsent = self.unsent[os.write(self.orders, self.unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.unsent = b""

    def hear(self) -> None:
        """Read what it says into the inbox; `silent` from the end of its pipe on."""
        piece = os.read(self.reports, PIECE)
        self.silent = not piece
        self.inbox.extend(self._reader.feed(piece))

    def hear_the_rest(self) -> None:
        """Read what a horse that has ended still said."""
        while not self.silent and select.select([self.reports], [], [], 0)[0]:
            self.hear()
        self.silent = True

    def has_ended(self) -> bool:
        """Return whether the process has ended, by itself or killed."""
        if self.ending is None:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self.ending = Ending(status, usage.ru_maxrss * PEAK_UNIT)
        return self.ending is not None

    def end(self, *, kill: bool) -> Ending:
        """Close the pipes and wait until it has ended. `kill`: it and whatever it started; else it has 5 s to leave."""
        os.close(self.orders)
        give_up = time.monotonic() + (0 if kill else EXIT_GRACE_S)
        while not self.has_ended():
            if time.monotonic() >= give_up:
                self._kill()
            time.sleep(0.001)
        if kill:
            self._kill()
        os.close(self.reports)
        os.close(self.lifeline)
        assert self.ending is not None  # noqa: S101  has_ended says so
        return self.ending

    def _kill(self) -> None:
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
