"""The horse that a worker keeps: forked when it is needed, kept from job to job, replaced when it must be."""

from typing import TYPE_CHECKING

from jobs.horses.messages import LEAVING
from jobs.horses.mounts import Ending, Horse

if TYPE_CHECKING:
    from jobs.worker import Worker


class Stable:
    """One horse at a time."""

    def __init__(self, worker: "Worker") -> None:
        self._worker = worker
        self._horse: Horse | None = None

    def mount(self, *, fresh: bool) -> Horse:
        """Return a horse that takes orders, as far as is known; `fresh`: one that has run nothing yet."""
        horse = self._horse
        if horse and (fresh or horse.silent or LEAVING in horse.inbox or horse.has_ended()):
            self.replace(kill=False)
        if self._horse is None:
            self._horse = Horse.fork(self._worker)
        return self._horse

    def tidy(self) -> None:
        """Let go of a horse that has left by itself."""
        if self._horse and self._horse.has_ended():
            self.replace(kill=False)

    def replace(self, *, kill: bool) -> Ending:
        """Let the horse go, or kill it; the next mount forks another. Returns how it ended."""
        assert self._horse is not None  # noqa: S101  nobody replaces what they have not mounted
        horse, self._horse = self._horse, None
        return horse.end(kill=kill)

    def close(self) -> None:
        """Let the horse go if there is one."""
        if self._horse:
            self.replace(kill=False)
