"""A real server of its own for a benchmark, and the project set up on it."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def fresh_server(folder: Path, *, port: int = 0) -> Iterator[str]:
    """Run an embedded Valkey in `folder`, point the project at it, and silence its log; yields its URL.

    With a `port` it listens there, on the loopback, and all speak to it so.
    """
    from dashboard.embedded import start_server

    server = start_server(folder / "valkey", persistent=False)
    url = server.url
    if port:
        from redis import Redis

        client = Redis.from_url(server.url)
        client.config_set("bind", "127.0.0.1")
        client.config_set("port", port)
        client.close()
        url = f"redis://127.0.0.1:{port}/0"
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "REDIS_URL": url,
        "MANDOR_VAR": str(folder),
        "MANDOR_LOG_LEVEL": "ERROR",
    }
    import django

    django.setup()
    logging.disable(logging.CRITICAL)
    try:
        yield url
    finally:
        server.stop()
