"""Ask a worker to finish its current job and stop."""

import json

from jobs import keys, scripts
from jobs.connection import store
from jobs.logs import log

SHUT_DOWN = json.dumps({"command": "shutdown"})
"""RQ's command; `rq.command.send_shutdown_command` sends it unconditionally, and a second one kills the job."""


class NotStopped(Exception):
    """The worker was not asked to stop."""


class AlreadyStopping(NotStopped):
    """It was asked before."""


class NoSuchWorker(NotStopped):
    """It has no record, so it has ended."""


class DoesNotListen(NotStopped):
    """It has a record, but nobody hears RQ's commands to it: it was killed, or its connection broke."""


REASONS = {0: AlreadyStopping, -1: NoSuchWorker, -2: DoesNotListen}


def stop_worker(name: str, *, by: str) -> None:
    """Have the worker `name` end once its current job has, or at once while it is idle. Raises a NotStopped.

    Whoever keeps it running, such as a supervisor, may start another in its place.
    """
    answer = scripts.run(
        store(),
        "worker_stop",
        [keys.worker(name), keys.worker_commands(name), keys.EVENTS],
        [name, SHUT_DOWN, by, scripts.AGAIN],
    )
    if answer in REASONS:
        raise REASONS[answer](name)
    log.info("worker asked to stop", worker=name, by=by)
