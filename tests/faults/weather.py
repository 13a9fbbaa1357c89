"""What happens around a crew: the server goes away, replies are lost, people and stock RQ have their hands in it."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from rq.command import send_stop_job_command
from rq.exceptions import InvalidJobOperation, NoSuchJobError
from rq.serializers import JSONSerializer

from jobs import keys, locks, pauses
from jobs.connection import store
from tests.faults import blows
from tests.faults.crews import Crew
from tests.faults.hands import QUEUES, Place, start, start_stock_scheduler
from tests.faults.lossy import LossyProxy
from tests.faults.servers import Server

RQ = Path(sys.executable).parent / "rq"
STOCK_WORKER = ("--worker-class=rq.Worker", "--serializer=rq.serializers.JSONSerializer", "--max-jobs=5")


class Weather:
    """All faults there are, at a server that goes away for one of `absences`, in seconds.

    A stock scheduler is at work on the same queues all the while.
    """

    def __init__(self, place: Place, server: Server, lossy: LossyProxy, absences: Sequence[float]) -> None:
        self.place, self.server, self.lossy, self.absences = place, server, lossy, absences
        self.scheduler = start_stock_scheduler(place)

    def close(self) -> None:
        """Let no stock scheduler be at work any more; what it moves is locked for a minute unless that is undone."""
        self.scheduler.kill()
        self.scheduler.join()
        for queue in QUEUES:
            if not (store().get(keys.scheduler_lock(queue)) or b"").startswith(keys.OURS.encode()):
                store().delete(keys.scheduler_lock(queue))

    def faults(self, seconds: float) -> Iterator[Callable[[Crew], None]]:
        """Yield faults until that time is over."""
        ends = time.monotonic() + seconds
        weights: dict[Callable[[Crew], None], int] = {
            blows.kill: 6,
            blows.freeze: 3,
            blows.stop: 3,
            self.lose_replies: 6,
            self.take_server_away: 1,
            rob: 3,
            stop_job: 2,
            pause: 1,
            look_and_requeue: 1,
            let_stock_worker_in: 1,
        }
        while time.monotonic() < ends:
            yield self._choose(weights)

    @staticmethod
    def _choose(weights: dict[Callable[[Crew], None], int]) -> Callable[[Crew], None]:
        def fault(crew: Crew) -> None:
            (chosen,) = crew.chance.choices(list(weights), list(weights.values()))
            chosen(crew)

        return fault

    def lose_replies(self, crew: Crew) -> None:
        """Lose a few replies on the way to whoever gets them."""
        for _ in range(3):
            self.lossy.lose_next()
            time.sleep(crew.chance.uniform(0, 0.1))

    def take_server_away(self, crew: Crew) -> None:
        """Kill the server at any instant, and start it again with its data, and what does not outlive it: stock RQ."""
        crew.pick()
        self.server.kill()
        time.sleep(crew.chance.choice(self.absences))
        self.server.start()
        self.close()
        self.scheduler = start_stock_scheduler(self.place)


def rob(crew: Crew) -> None:
    """Release a lock by force."""
    for resource in store().zrange(keys.LOCKS, 0, 0):
        token = store().hget(keys.lock(resource.decode()), "token")
        if token:
            crew.robbed.add(resource.decode())
            locks.force_release(resource.decode(), token=int(token), by="ana", reason="storm")


def stop_job(crew: Crew) -> None:
    """Stop a running job, as a person does."""
    for member in store().zrange(keys.started(crew.chance.choice(QUEUES)), 0, 0):
        with suppress(NoSuchJobError, InvalidJobOperation):
            send_stop_job_command(store(), member.decode().split(":")[0], serializer=JSONSerializer)


def pause(crew: Crew) -> None:
    """Pause a queue for a moment."""
    queue = crew.chance.choice(QUEUES)
    pauses.pause_queue(queue, by="ana")
    time.sleep(crew.chance.uniform(0, 0.5))
    pauses.resume_queue(queue, by="ana")


def look_and_requeue(crew: Crew) -> None:
    """Look with RQ's own command, which cleans up on the way, and requeue what was stopped."""
    queue = crew.chance.choice(QUEUES)
    for command in (
        ["info"],
        ["requeue", "--queue", queue, "--all", "--serializer", "rq.serializers.JSONSerializer"],
    ):
        subprocess.run([RQ, *command, "--url", crew.place.url], check=True, capture_output=True)


def let_stock_worker_in(crew: Crew) -> None:
    """Let a stock worker run some jobs of one queue."""
    stock = start(crew.place, "rqworker", crew.chance.choice(QUEUES), *STOCK_WORKER)
    while stock.is_alive():
        crew.work.top_up()
        stock.join(0.1)
    assert stock.exitcode == 0
