"""Start processes that read one key with many threads each."""

import json
import subprocess
import sys
from typing import Any

Reader = subprocess.Popen[str]


def start_readers(*seconds: float, key: str, threads: int = 1) -> list[Reader]:
    """Return reader processes that are ready to begin, one for each of `seconds` that its source takes."""
    command = [sys.executable, "-m", "tests.faults.cache_reader", key, str(threads)]
    started = [
        subprocess.Popen([*command, str(each)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for each in seconds
    ]
    for reader in started:
        assert reader.stdout
        assert reader.stdout.readline() == "ready\n"
    return started


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
