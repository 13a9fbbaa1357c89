"""RQ's own code ends some executions, in a transaction that knows of no claims: this makes it mind them.

The transaction watches the execution's record, which is gone as soon as another took over, and is refused whole then.
What RQ does afterwards (rate limits, webhooks) is no commit and runs as it is.
"""

from typing import Any

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import WatchError

from jobs.claims import Superseded

TAKEN_OVER = "Another execution holds this job now."


class GuardedRedis(Redis):
    """A client whose next transaction is done only while the execution's record, at `guard`, is there."""

    def __init__(self, client: Redis, guard: str) -> None:
        super().__init__(connection_pool=client.connection_pool)
        self.guard = guard
        self.committed = False

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        """Return a pipeline: a guarded one until the first is executed."""
        if self.committed:
            return super().pipeline(transaction, shard_hint)
        return _GuardedPipeline(self)


class _GuardedPipeline(Pipeline):
    def __init__(self, client: GuardedRedis) -> None:
        super().__init__(client.connection_pool, client.response_callbacks, transaction=True, shard_hint=None)
        self._client = client

    def watch(self, *names: Any) -> Any:
        answer = super().watch(*names, self._client.guard)  # type: ignore[no-untyped-call]
        if not self.exists(self._client.guard):
            raise Superseded(TAKEN_OVER)
        return answer

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        if self.command_stack and not self.watching:
            answers = self._execute_watched(self.command_stack, raise_on_error=raise_on_error)
        else:
            answers = super().execute(raise_on_error)
        self._client.committed = True
        return answers

    def _execute_watched(self, commands: list[Any], *, raise_on_error: bool) -> list[Any]:
        """Execute what was gathered without a watch; a heartbeat in between only means once more."""
        while True:
            self.command_stack = []
            self.watch()
            self.multi()
            self.command_stack = list(commands)
            try:
                return super().execute(raise_on_error)
            except WatchError:
                continue
