"""A horse runs many jobs, and leaves when it should run no other."""

import logging
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.horses.messages import Kind, Order
from jobs.horses.surroundings import Surroundings
from jobs.rides import ride
from tests import factories


def test_one_horse_runs_many_jobs(answer):
    assert len({answer("pid") for _ in range(5)}) == 1


@pytest.mark.parametrize(("jobs_per_horse", "horses"), [(1, 4), (2, 2), (100, 1)])
def test_a_horse_is_replaced_after_its_share_of_jobs(allow, answer, jobs_per_horse, horses):
    allow(JOBS_PER_HORSE=jobs_per_horse)

    pids = [answer("pid") for _ in range(4)]

    assert len(set(pids)) == horses


def test_a_horse_whose_job_ran_out_of_time_is_replaced(run, answer):
    before = answer("pid")

    report = run("sleep", seconds=30, timeout=1).report

    assert report.timed_out and report.error.startswith("MaxDurationExceeded")
    assert answer("pid") != before


def test_a_horse_whose_job_left_a_thread_is_replaced(answer):
    left_in = answer("leave_thread")

    assert answer("pid") != left_in


def test_a_horse_whose_job_left_a_child_is_replaced(answer):
    before = answer("pid")

    answer("leave_child", seconds=1)

    assert answer("pid") != before


def test_a_horse_with_too_much_memory_is_replaced(allow, answer):
    allow(HORSE_MEMORY=400 << 20)
    before = answer("pid")

    assert answer("grow", megabytes=8) == before
    assert answer("grow", megabytes=420) == before
    assert answer("pid") != before


@pytest.mark.parametrize("kind", [Kind.FAILURE_CALLBACK, Kind.STOPPED_CALLBACK])
def test_what_rqs_own_code_runs_has_a_horse_of_its_own(worker, answer, kind):
    before = answer("pid")
    factories.enqueue()

    assert ride(worker, Order(kind, factories.start("mail"))).report.done

    assert answer("pid") != before


def test_a_job_can_ask_rq_which_job_it_is(answer):
    job_id, queue, in_environment = answer("current_job")

    assert job_id == in_environment
    assert queue == "mail"


def test_sigterm_and_sigint_are_the_workers_and_not_a_jobs(answer):
    handlers = answer("look")["handlers"]

    assert "_not_meant_for_me" in handlers[0]
    assert not answer("kill_itself", signum=signal.SIGTERM)
    assert not answer("kill_itself", signum=signal.SIGINT)


@pytest.fixture
def logged(tmp_path) -> Iterator[Path]:
    """A file that holds what this process and its horses log."""
    path = tmp_path / "log"
    handler = logging.FileHandler(path)
    logging.getLogger("mandor").addHandler(handler)
    yield path
    logging.getLogger("mandor").removeHandler(handler)
    handler.close()


def test_a_horse_that_cannot_tidy_up_says_so_and_leaves_the_next_job_to_another(answer, monkeypatch, logged):
    monkeypatch.setattr(Surroundings, "restore", lambda _: 1 / 0)

    assert answer("pid") != answer("pid")

    assert "horse failed" in logged.read_text()
