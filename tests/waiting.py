"""Wait for what must become true, with a deadline instead of a sleep."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
EVERY_S = 0.02


def eventually(condition: Callable[[], T], *, within: float = 20.0, unless: type[Exception] | None = None) -> T:
    """Return the first true value of `condition`, which may raise `unless` meanwhile. Fails after `within` seconds."""
    deadline = time.monotonic() + within
    while True:
        try:
            value = condition()
        except Exception as error:
            if unless is None or not isinstance(error, unless) or time.monotonic() > deadline:
                raise
        else:
            if value or time.monotonic() > deadline:
                assert value, f"{condition} did not become true within {within} s"
                return value
        time.sleep(EVERY_S)
