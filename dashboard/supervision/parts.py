"""What `manage.py up` runs: a table of parts, each a command of its own."""

import sys
from dataclasses import dataclass
from pathlib import Path

ENDS_FIRST, ENDS_LAST = 1, 2


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of child: how it is called, how many run, and when it ends; those with the same number end together."""

    name: str
    argv: tuple[str, ...]
    count: int = 1
    ends: int = ENDS_LAST


def list_parts(*, workers: int, queues: list[str], bind: str, wsgi: str, demo: bool) -> list[Part]:
    """Return the parts in the order they start in. Workers end first, while upkeep and pages still run."""
    parts = [
        Part("upkeep", _command("upkeep")),
        Part("web", _web(bind, wsgi)),
        Part("worker", _command("rqworker", *queues), count=workers, ends=ENDS_FIRST),
    ]
    if demo:
        parts.append(Part("traffic", _command("demo_traffic"), ends=ENDS_FIRST))
        parts.append(Part("holder", _command("demo_holder"), ends=ENDS_FIRST))
    return parts


def _command(*words: str) -> tuple[str, ...]:
    return (sys.executable, str(Path(sys.argv[0]).resolve()), *words)


def _web(bind: str, wsgi: str) -> tuple[str, ...]:
    module, _, name = wsgi.rpartition(".")
    settings = {"bind": bind, "threads": "8", "graceful-timeout": "2", "log-level": "warning"}
    options = (f"--{name}={value}" for name, value in settings.items())
    return (sys.executable, "-m", "gunicorn", f"{module}:{name}", *options, "--no-control-socket")
