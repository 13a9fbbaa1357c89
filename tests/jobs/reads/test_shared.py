"""Within a page the same is read once; outside each read is its own."""

from jobs.reads import shared
from jobs.reads.frame import read_frame
from jobs.reads.queues import list_queues
from tests.factories import enqueue


def test_a_page_reads_the_depths_once():
    enqueue()

    with shared.one_page():
        before = list_queues()
        enqueue()
        after = read_frame()

    assert sum(row.counts.waiting.value for row in before) == 1
    assert after.waiting is not None and after.waiting.value == 1


def test_outside_a_page_nothing_is_kept():
    enqueue()
    with shared.one_page():
        list_queues()
    enqueue()

    frame = read_frame()

    assert frame.waiting is not None and frame.waiting.value == 2


def test_two_pages_share_nothing():
    enqueue()
    with shared.one_page():
        first = list_queues()
    enqueue()
    with shared.one_page():
        second = list_queues()

    assert [sum(row.counts.waiting.value for row in rows) for rows in (first, second)] == [1, 2]
