"""A process that takes locks and writes under them until it is killed: `lock_user.py NAME RESOURCES`."""

import os
import random
import sys
import time
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")


def main(name: str, resources: int) -> None:
    import django

    django.setup()
    from jobs import locks
    from tests.samples.models import Ledger

    chance = random.Random(name)  # noqa: S311
    while True:
        resource = f"r{chance.randrange(resources)}"
        try:
            with locks.hold(
                resource,
                lease=timedelta(seconds=1),
                wait=timedelta(seconds=1),
                max_duration=timedelta(seconds=1),
                holder=name,
            ) as lease:
                time.sleep(chance.uniform(0, 0.05))
                locks.fenced_update(Ledger.objects.filter(resource=resource), lease, writer=name)
        except (locks.LockHeld, locks.LeaseLost):
            continue


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
