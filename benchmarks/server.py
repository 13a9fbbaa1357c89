"""A real server of its own for a benchmark, and the project set up on it."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def fresh_server(folder: Path) -> Iterator[str]:
    """Run an embedded Valkey in `folder`, point the project at it, and silence its log; yields its URL."""
    from dashboard.embedded import start_server

    server = start_server(folder / "valkey", persistent=False)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "REDIS_URL": server.url,
        "MANDOR_VAR": str(folder),
        "MANDOR_LOG_LEVEL": "ERROR",
    }
    import django

    django.setup()
    logging.disable(logging.CRITICAL)
    try:
        yield server.url
    finally:
        server.stop()
