"""What several parts of one page ask for is read once: within that page, and never for longer."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_known: ContextVar[dict[Any, Any] | None] = ContextVar("known", default=None)


@contextmanager
def one_page() -> Iterator[None]:
    """Let all that is read inside share the workers' records and the queues' depths."""
    token = _known.set({})
    try:
        yield
    finally:
        _known.reset(token)


def recall(*name: str) -> Any:
    """Return what this page has read under `name` already; None where it has not, and outside any page."""
    known = _known.get()
    return None if known is None else known.get(name)


def remember(value: Any, *name: str) -> None:
    """Keep what was read for the rest of this page; outside any page keep nothing."""
    known = _known.get()
    if known is not None:
        known[name] = value
