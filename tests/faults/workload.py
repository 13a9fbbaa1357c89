"""The jobs that a crew is kept busy with."""

from collections.abc import Sequence
from random import Random

from rq import Callback

from jobs import keys
from jobs.connection import store
from jobs.enqueueing import enqueue_job
from jobs.queue import Queue
from tests.faults.hands import QUEUES
from tests.faults.run_history import FINISHED, STOPPED
from tests.waiting import eventually

MARKED = "tests.samples.marked"
CALLBACK = "tests.samples.callbacks.note_result"
BACKLOG = 80
BRIEF = (0, 0.005, 0.02, 0.05)
KINDS = ("plain", "locked", "cached")
CALLED_BACK = "called back"
"""A job of a plain RQ client with a callback: RQ's own code ends it, in the horse."""

RISK, KEYS_EACH = 0.05, 6
ENDED = {FINISHED.encode(), STOPPED.encode()}


class Work:
    """The jobs of a storm: more are enqueued before the queues run empty. They take one of `seconds` each."""

    def __init__(self, seconds: Sequence[float], kinds: Sequence[str], *, seed: int = 11) -> None:
        self.seconds, self.kinds = seconds, kinds
        self.chance = Random(seed)  # noqa: S311
        self.enqueued: set[str] = set()

    def top_up(self) -> None:
        """Keep the crew busy."""
        waiting = sum(store().llen(keys.queue(queue)) for queue in QUEUES)
        self.enqueued |= {self._enqueue_one() for _ in range(BACKLOG - waiting)}

    def wait_for_all(self, within: float) -> None:
        """Return once every job has ended."""
        going_on = sorted(self.enqueued)

        def all_ended() -> bool:
            pipe = store().pipeline(transaction=False)
            for job in going_on:
                pipe.hget(keys.job(job), "status")
            statuses = zip(going_on, pipe.execute(), strict=True)
            going_on[:] = [job for job, status in statuses if status not in ENDED]
            return not going_on

        eventually(all_ended, within=within)

    def _enqueue_one(self) -> str:
        kind, seconds = self.chance.choice(self.kinds), self.chance.choice(self.seconds)
        if kind == CALLED_BACK:
            queue = Queue(self.chance.choice(QUEUES), connection=store())
            return queue.enqueue(f"{MARKED}.plain", seconds=seconds, on_success=Callback(CALLBACK)).id
        numbers = {"locked": "resource", "cached": "entry"}
        which = {numbers[kind]: self.chance.randrange(KEYS_EACH)} if kind in numbers else {}
        return enqueue_job(f"{MARKED}.{kind}", {"seconds": seconds, "risk": RISK, **which}).job_id
