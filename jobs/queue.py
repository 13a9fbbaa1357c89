"""RQ's queue as Mandor uses it: JSON unless its settings say otherwise, and idle workers are woken."""

from typing import Any

from django_rq.queues import DjangoRQ
from redis.client import Pipeline
from rq.serializers import JSONSerializer

from jobs import keys

WAKE_LIFE_MS = 2000
MOST_WAKE_TOKENS = 1000


class Queue(DjangoRQ):
    """A queue for `RQ["QUEUE_CLASS"]`."""

    def __init__(self, *args: Any, serializer: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, serializer=serializer or JSONSerializer, **kwargs)  # type: ignore[no-untyped-call]

    def push_job_id(self, job_id: str, pipeline: Pipeline | None = None, at_front: bool = False) -> None:
        super().push_job_id(job_id, pipeline=pipeline, at_front=at_front)
        connection = self.connection if pipeline is None else pipeline
        connection.lpush(keys.wake(self.name), 1)
        connection.ltrim(keys.wake(self.name), 0, MOST_WAKE_TOKENS - 1)
        connection.pexpire(keys.wake(self.name), WAKE_LIFE_MS)
