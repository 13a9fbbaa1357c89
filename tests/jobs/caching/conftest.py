from collections.abc import Iterator
from typing import Any

import pytest

from jobs.connection import forget_connections


@pytest.fixture
def redis_away(settings: Any) -> Iterator[None]:
    """Let the cache's server be one that nobody can reach."""
    settings.MANDOR = {"CACHE_URL": "redis://127.0.0.1:1"}
    forget_connections()
    yield
    settings.MANDOR = {}
    forget_connections()
