"""What ran: read from the marks that the jobs of `tests.samples.marked` leave."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mark:
    """One line: a run began, ended, or raised. `worker` is the process id of the horse's parent."""

    run: str
    what: str
    job: str
    worker: int
    resource: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a job. `began` and `ended` are places in the order of all marks; one that raised has not ended."""

    name: str
    job: str
    worker: int
    resource: str
    began: int
    ended: int | None = None
    raised: bool = False

    @property
    def horse(self) -> int:
        return int(self.name.partition(".")[0])


class MarkReader:
    """Reads a file of marks that grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = 0
        self.marks: list[Mark] = []

    def read_on(self) -> list[Mark]:
        """Return the marks that are new since the last time."""
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._place)
            piece = file.read()
        whole = piece[: piece.rfind(b"\n") + 1]
        self._place += len(whole)
        new = [Mark(**json.loads(line)) for line in whole.splitlines()]
        self.marks += new
        return new


def runs_of(marks: Iterable[Mark]) -> Iterator[Run]:
    """Yield the runs in the order in which they began."""
    places: dict[str, dict[str, int]] = {}
    first: dict[str, Mark] = {}
    for place, mark in enumerate(marks):
        first.setdefault(mark.run, mark)
        places.setdefault(mark.run, {})[mark.what] = place
    for name, mark in first.items():
        seen = places[name]
        yield Run(name, mark.job, mark.worker, mark.resource, seen["began"], seen.get("ended"), "raised" in seen)
