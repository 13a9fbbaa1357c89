"""Signals to a worker that arrive at once."""

import signal
from datetime import timedelta

import pytest

from jobs.connection import store
from jobs.reins import Reins


@pytest.fixture
def restored_signals():
    before = {signum: signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)}
    yield
    for signum, handler in before.items():
        signal.signal(signum, handler)


class Hurried(Reins):
    """Gets the second signal while it handles the first."""

    @property
    def grace(self) -> timedelta:
        if not self.force_requested:
            signal.raise_signal(signal.SIGTERM)
        return timedelta(0)


@pytest.mark.usefixtures("restored_signals")
def test_a_second_signal_that_comes_while_the_first_is_handled_counts_as_the_second():
    worker = Hurried(["mail"], connection=store())
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, worker.request_stop)

    signal.raise_signal(signal.SIGINT)

    assert worker.stopping
    assert worker.force_requested
