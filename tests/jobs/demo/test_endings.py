"""The end of a demo process."""

import signal

import pytest

from jobs.demo.endings import listen_for_end


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_sets_the_end(number: signal.Signals):
    before = signal.getsignal(number)
    ended = listen_for_end()

    signal.raise_signal(number)

    assert ended.wait(10)
    signal.signal(number, before)
