"""Workers as a project may make them."""

from typing import Any

from jobs.worker import Worker
from tests.samples.callbacks import fall_over


class CarelessWorker(Worker):
    """A worker with an exception handler that raises."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.push_exc_handler(fall_over)
