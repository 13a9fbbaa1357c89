"""A process that reads one key with many threads: run with the key, the threads and how long the source takes.

Prints `ready`, begins at a line on its input, and prints what its readers got as JSON.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import django

from jobs import caching
from jobs.connection import store

MINUTE = timedelta(minutes=1)


def main(key: str, threads: int, seconds: float) -> None:
    def compute() -> int:
        number = int(store().incr("computed"))
        time.sleep(seconds)
        return number

    def read(_: int) -> list[object]:
        entry = caching.get_or_refresh(key, compute, fresh_for=MINUTE, stale_for=MINUTE, wait=MINUTE)
        return [entry.value, entry.outcome.value]

    print("ready", flush=True)
    sys.stdin.readline()
    with ThreadPoolExecutor(threads) as pool:
        print(json.dumps(list(pool.map(read, range(threads)))), flush=True)


if __name__ == "__main__":
    django.setup()
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
