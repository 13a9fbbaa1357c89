"""A worker stays with its horse: it stops the job that is named and no other, and leaves none behind."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from jobs import keys, rides, running
from jobs.connection import store
from jobs.enqueueing import enqueue_job
from jobs.queue import Queue
from tests import factories
from tests.jobs.conftest import UNTIDY
from tests.waiting import eventually


def hear(worker, path: Path, **command: Any) -> None:
    """Have a worker hear a command, as from its channel, once its job has begun."""
    eventually(path.exists)
    worker.handle_payload({"data": json.dumps(command).encode()})


def run_claimed(worker, how: str, **arguments: Any) -> str:
    job = Queue("mail", connection=store()).enqueue(f"{UNTIDY}.{how}", **arguments)
    running.run_claim(worker, factories.start("mail", by=worker.claimant))
    return job.id


def horse_of(worker) -> int:
    (horse,) = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
    return int(horse)


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}/exe").exists()


def test_a_command_to_stop_a_job_kills_no_other(worker, run, tmp_path):
    before = run("current_job").report
    (job_id, *_), path = json.loads(before.result_bytes), tmp_path / "began"

    with ThreadPoolExecutor(1) as pool:
        pool.submit(hear, worker, path, command="stop-job", job_id=job_id)
        end = run("sleep", seconds=0.5, path=str(path))

    assert end.report.done
    assert worker.stopped_job_id is None


def test_a_command_to_stop_the_job_that_runs_kills_it(worker, run, tmp_path):
    path = tmp_path / "began"

    def stop() -> None:
        eventually(path.exists)
        hear(worker, path, command="stop-job", job_id=worker.get_current_job_id())

    with ThreadPoolExecutor(1) as pool:
        pool.submit(stop)
        end = run("sleep", seconds=60, path=str(path))

    assert end.report is None
    assert worker.stopped_job_id


def test_a_job_deaf_to_its_time_limit_is_killed_a_little_later(run, monkeypatch):
    monkeypatch.setattr(rides, "DEAF_GRACE_S", 0.5)

    end = run("sleep_deafly", seconds=60, timeout=1)

    assert end.report is None and end.killed == "timeout"


@pytest.mark.parametrize(
    ("how", "arguments", "clue"),
    [
        ("kill_itself", {"signum": signal.SIGKILL}, "was killed by SIGKILL"),
        ("exit_at_once", {"status": 3}, "ended with exit code 3"),
        ("exit_at_once", {"status": 0}, "ended with exit code 0"),
    ],
)
def test_a_crash_says_what_is_known_of_it(allow, worker, how, arguments, clue):
    allow(MAX_CRASHES=1)

    job_id = run_claimed(worker, how, **arguments)

    status, error = store().hmget(keys.job(job_id), "status", "m_error")
    assert status == b"failed"
    for part in (clue, "MB at its peak", "last heartbeat", worker.name):
        assert part in error.decode()


def test_a_crash_is_counted_costs_no_attempt_and_harms_no_other_job(worker):
    job_id = run_claimed(worker, "exit_at_once", status=1)
    store().lrem(keys.queue("mail"), 1, job_id)

    after = run_claimed(worker, "pid")

    assert store().hget(keys.job(after), "status") == b"finished"
    counted = store().hmget(keys.job(job_id), "status", "m_crashes", "m_failures")
    assert counted == [b"queued", b"1", None]


def test_sigterm_to_all_processes_of_a_worker_lets_the_job_end(start_worker, tmp_path):
    path = tmp_path / "marks"
    arguments = {"path": str(path), "seconds": 1.5}
    job_id = enqueue_job("tests.samples.jobs.leave_marks_on_billing", arguments).job_id
    worker = start_worker()
    eventually(path.exists)

    os.kill(horse_of(worker), signal.SIGTERM)
    worker.terminate()

    assert worker.wait(30) == 0
    assert store().hmget(keys.job(job_id), "status", "m_crashes") == [b"finished", None]


def test_a_killed_worker_leaves_neither_its_horse_nor_what_the_job_started(start_worker, tmp_path):
    path = tmp_path / "child"
    queue = Queue("mail", connection=store())
    queue.enqueue(f"{UNTIDY}.sleep_beside_child", seconds=60, path=str(path))
    worker = start_worker(MANDOR_ALLOW=f"{UNTIDY}.*")
    eventually(lambda: path.exists() and path.read_text())
    left = [horse_of(worker), int(path.read_text())]

    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()

    eventually(lambda: not any(map(is_alive, left)))
