"""Start processes that read one key with many threads each."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

Reader = subprocess.Popen[str]


@contextmanager
def readers(*seconds: float, key: str, threads: int = 1) -> Iterator[list[Reader]]:
    """Have reader processes that are ready to begin, one for each of `seconds` that its source takes."""
    command = [sys.executable, "-m", "tests.faults.cache_reader", key, str(threads)]
    with ExitStack() as stack:
        started = []
        for each in seconds:
            reader = subprocess.Popen([*command, str(each)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            stack.enter_context(reader)
            stack.callback(reader.kill)
            started.append(reader)
        for reader in started:
            assert reader.stdout
            assert reader.stdout.readline() == "ready\n"
        yield started


def begin(*readers: Reader) -> None:
    """Let reader processes begin."""
    for reader in readers:
        assert reader.stdin
        reader.stdin.write("go\n")
        reader.stdin.flush()


def results(reader: Reader) -> list[Any]:
    """Return the value and the outcome that each of the process's readers got, once it has ended."""
    out, _ = reader.communicate(timeout=60)
    got: list[Any] = json.loads(out)
    return got
