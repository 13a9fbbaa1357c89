"""What a person looks for among jobs: words, and qualifiers such as `func:send error:"no such address"`."""

import re
from dataclasses import dataclass
from typing import Final

QUALIFIERS: Final = ("id", "queue", "func", "error", "resource")
TERM = re.compile(rf'(?:({"|".join(QUALIFIERS)}):)?(?:"([^"]*)"?|(\S+))')
LONGEST = 500
MOST_WORDS = 10


@dataclass(frozen=True, slots=True)
class JobSearch:
    """What was typed, and what each part of it means; every part must be found, in any case of letters."""

    typed: str = ""
    id: str = ""
    queue: str = ""
    func: str = ""
    error: str = ""
    resource: str = ""
    words: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether jobs must be looked at to tell whether they match."""
        return bool(self.id or self.func or self.error or self.resource or self.words)

    @property
    def name(self) -> str:
        """The one thing that was typed as it stands, or as an id: it may be the exact name of a job or of a lock."""
        if any((self.queue, self.func, self.error, self.resource)) or (self.id and self.words):
            return ""
        return self.id or self.typed.strip().strip('"')


NOTHING: Final = JobSearch()
"""All jobs."""


def read_search(typed: str) -> JobSearch:
    """Return what `typed` asks for. Values with spaces stand in double quotes; what has no qualifier is a word."""
    parts: dict[str, str] = {}
    words: list[str] = []
    for qualifier, quoted, bare in TERM.findall(typed[:LONGEST]):
        value = (quoted or bare).strip()
        if value and qualifier:
            parts[qualifier] = value
        elif value and value.removesuffix(":") not in QUALIFIERS:
            words.append(value)
    return JobSearch(typed[:LONGEST], words=tuple(words[:MOST_WORDS]), **parts)
