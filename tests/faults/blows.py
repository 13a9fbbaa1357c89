"""What happens to the workers of a crew: one blow at a time."""

import os
import signal
import time
from contextlib import suppress

from tests.faults.crews import Crew, horses_of, pid_of

KILLS = [{"parent": True, "horses": True}, {"parent": True, "horses": False}, {"parent": False, "horses": True}]
FROZEN_S = (2.5, 4.0)
"""Longer than the visibility timeout."""


def kill(crew: Crew) -> None:
    """Kill one worker's whole tree, or only the worker, or only its horse."""
    crew.strike(crew.pick(), **crew.chance.choice(KILLS))


def freeze(crew: Crew) -> None:
    """Freeze a worker, alone or with its horse."""
    worker = crew.pick()
    horses = horses_of(worker) if crew.chance.random() < 0.5 else []
    crew.freeze([pid_of(worker), *horses], crew.chance.uniform(*FROZEN_S))


def stop(crew: Crew, *, pressed: bool = False) -> None:
    """Tell one worker to stop, once or twice; it is replaced at once and has to end by itself."""
    worker = crew.pick()
    for pid in (pid_of(worker), *horses_of(worker)):
        crew.thaw(pid)
    worker.terminate()
    twice = crew.chance.random() < 0.5
    if pressed or twice:
        crew.struck.add(pid_of(worker))
    if twice:
        time.sleep(crew.chance.choice([0, 0.01, 0.03]))
        with suppress(ProcessLookupError):
            os.kill(pid_of(worker), signal.SIGINT)
    crew.replace(worker)
    crew.see_out(worker)
