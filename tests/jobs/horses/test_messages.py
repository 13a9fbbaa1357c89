"""Messages through a pipe come in pieces of any size."""

from hypothesis import given
from hypothesis import strategies as st

from jobs.horses.messages import MessageReader, Report, framed, read_report


@given(st.lists(st.binary(max_size=40)), st.integers(1, 50))
def test_messages_are_whole_however_they_are_cut(messages, size):
    stream = b"".join(map(framed, messages))
    reader = MessageReader()

    read = [message for start in range(0, len(stream), size) for message in reader.feed(stream[start : start + size])]

    assert read == messages


def test_a_report_arrives_as_it_was_written():
    report = Report(done=False, error="ValueError: ä\udc80", traceback="line\n", retry={"max": 1, "interval": [1]})

    assert read_report(report.written()) == report


def test_a_report_without_a_result_has_none():
    assert Report(done=True).result_bytes is None
