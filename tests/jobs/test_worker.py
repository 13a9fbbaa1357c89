"""Workers as they run: real processes of `manage.py rqworker`, killed and restarted."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rq.command import send_stop_job_command
from rq.job import Job
from rq.serializers import JSONSerializer

from jobs import keys, locks
from jobs.connection import store
from jobs.enqueueing import enqueue_job
from tests import factories
from tests.waiting import eventually
from tests.worker_processes import QUEUES, kill_tree


def state(job_id: str) -> str:
    return (store().hget(keys.job(job_id), "status") or b"").decode()


def marks(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []


def leave_marks(path: Path, seconds: float) -> str:
    return enqueue_job("tests.samples.jobs.leave_marks_on_billing", {"path": str(path), "seconds": seconds}).job_id


def test_a_worker_runs_what_is_enqueued_and_fills_the_cache(start_worker):
    (job_id,) = factories.enqueue("tests.samples.jobs.cached", report_id=42)

    start_worker()

    eventually(lambda: state(job_id) == "finished")
    assert json.loads(store().get(keys.cache("report:42")))["value"] == {"report": 42}
    assert not store().exists(keys.lock("report:42"), keys.refreshing("report:42"))


def test_a_killed_workers_job_is_run_to_its_end_once_more_by_another(start_worker, tmp_path):
    path = tmp_path / "marks"
    job_id = leave_marks(path, 1.0)
    victim = start_worker()
    eventually(lambda: marks(path) == ["began"])

    kill_tree(victim)
    start_worker()

    eventually(lambda: state(job_id) == "finished")
    assert marks(path) == ["began", "began", "ended"]
    assert store().hget(keys.job(job_id), "m_crashes") == b"1"


def test_all_workers_killed_at_once_lose_nothing_while_a_foreign_cleaner_looks(start_worker, tmp_path):
    paths = [tmp_path / queue for queue in QUEUES]
    for queue, path in zip(QUEUES, paths, strict=True):
        enqueue_job(f"tests.samples.jobs.leave_marks_on_{queue}", {"path": str(path), "seconds": 5.0})
    victims = [start_worker() for _ in QUEUES]
    eventually(lambda: all(marks(path) == ["began"] for path in paths))

    for victim in victims:
        kill_tree(victim)
    start_worker()

    def looked_and_done() -> bool:
        rq_info = [str(Path(sys.executable).parent / "rq"), "info", "--url", os.environ["REDIS_URL"]]
        assert subprocess.run(rq_info, capture_output=True, check=False).returncode == 0
        return all(marks(path)[-1] == "ended" for path in paths)

    eventually(looked_and_done, within=30)
    assert [marks(path) for path in paths] == [["began", "began", "ended"]] * 3


def test_a_horse_ends_with_its_killed_parent(start_worker, tmp_path):
    path = tmp_path / "marks"
    leave_marks(path, 1.5)
    victim = start_worker()
    eventually(lambda: marks(path) == ["began"])
    (horse,) = Path(f"/proc/{victim.pid}/task/{victim.pid}/children").read_text().split()

    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()

    eventually(lambda: not Path(f"/proc/{horse}").exists())
    assert marks(path) == ["began"]


def test_a_job_that_kills_its_horse_three_times_is_a_dead_letter(start_worker):
    (job_id,) = factories.enqueue("tests.samples.jobs.die")
    (after,) = factories.enqueue()

    start_worker()

    eventually(lambda: state(job_id) == "failed" and state(after) == "finished")
    assert b"SIGKILL" in store().hget(keys.job(job_id), "m_error")


def test_a_job_fails_again_after_1_second_and_then_dies_with_its_traceback(start_worker):
    (job_id,) = factories.enqueue("tests.samples.jobs.broken", message="nobody there")

    start_worker()

    eventually(lambda: state(job_id) == "failed")
    assert store().hget(keys.job(job_id), "m_error") == b"ValueError: nobody there"
    job = Job.fetch(job_id, connection=store(), serializer=JSONSerializer)
    assert "nobody there" in job.latest_result().exc_string


def test_a_time_limit_is_not_swallowed_by_except_exception(start_worker):
    (job_id,) = factories.enqueue("tests.samples.jobs.oversleep")

    start_worker()

    eventually(lambda: state(job_id) == "failed")
    assert store().hget(keys.job(job_id), "m_error").startswith(b"MaxDurationExceeded")


def test_a_job_that_loses_its_lock_is_told_at_once_and_fails_with_lease_lost(start_worker, tmp_path):
    path = tmp_path / "marks"
    job_id = leave_marks(path, 10.0)
    start_worker(MANDOR_VISIBILITY_TIMEOUT="300")
    eventually(lambda: marks(path) == ["began"])
    resource = f"log:{path}"
    token = int(store().hget(keys.lock(resource), "token"))

    locks.force_release(resource, token=token, by="ana", reason="hangs")

    eventually(lambda: (store().hget(keys.job(job_id), "m_error") or b"").startswith(b"LeaseLost"))
    assert marks(path)[:2] != ["began", "ended"]


@pytest.mark.parametrize(
    ("function", "clue"),
    [("os.getcwd", b"MANDOR"), ("tests.samples.jobs.missing", b"MANDOR")],
)
def test_what_is_not_allowed_is_a_dead_letter_that_names_the_setting(start_worker, function, clue):
    from jobs.queue import Queue

    job = Queue("mail", connection=store()).enqueue(function)

    start_worker()

    eventually(lambda: state(job.id) == "failed")
    assert clue in store().hget(keys.job(job.id), "m_error")


def test_a_pickled_job_on_a_json_queue_is_buried_unopened(start_worker):
    from rq import Queue as PlainQueue

    job = PlainQueue("mail", connection=store()).enqueue(os.getcwd)

    start_worker()

    eventually(lambda: state(job.id) == "failed")
    assert b"SERIALIZER" in store().hget(keys.job(job.id), "m_error")


def test_an_allowed_job_of_a_plain_client_runs_with_its_callback(start_worker, tmp_path):
    from rq import Callback

    from jobs.queue import Queue

    path = tmp_path / "called"
    job = Queue("mail", connection=store()).enqueue(
        "os.path.join",
        str(path),
        "x",
        on_success=Callback("tests.samples.callbacks.note_result"),
    )

    start_worker(MANDOR_ALLOW="os.path.*,posixpath.*,tests.samples.callbacks.*")

    eventually(lambda: state(job.id) == "finished")
    assert store().get("noted") == f"{path}/x".encode()


def test_a_registered_job_pushed_by_a_plain_client_is_locked_too(start_worker):
    from jobs.queue import Queue

    lease = factories.hold("report:42")
    job = Queue("reports", connection=store()).enqueue("tests.samples.jobs.locked", report_id=42)
    start_worker()
    eventually(lambda: store().zscore(keys.waiters("report:42"), job.id))

    locks.release(lease)

    eventually(lambda: state(job.id) == "finished")


def test_a_dependent_of_a_coordinated_job_runs_after_it(start_worker):
    from jobs.queue import Queue

    (job_id,) = factories.enqueue()
    after = Queue("mail", connection=store()).enqueue("tests.samples.jobs.echo", depends_on=job_id, text="after")

    start_worker()

    eventually(lambda: state(after.id) == "finished")
    assert state(job_id) == "finished"


def test_a_stopped_job_is_filed_as_stopped_and_never_retried(start_worker, tmp_path):
    path = tmp_path / "marks"
    job_id = leave_marks(path, 10.0)
    start_worker()
    eventually(lambda: marks(path) == ["began"])

    send_stop_job_command(store(), job_id, serializer=JSONSerializer)

    eventually(lambda: state(job_id) == "stopped")
    assert store().zscore(keys.failed("billing"), job_id)


def test_a_second_signal_sends_the_job_back_at_once(start_worker, tmp_path):
    path = tmp_path / "marks"
    job_id = leave_marks(path, 10.0)
    worker = start_worker()
    eventually(lambda: marks(path) == ["began"])

    worker.terminate()
    worker.send_signal(signal.SIGINT)

    assert worker.wait(30) == 0
    assert state(job_id) == "queued"
    assert not store().hget(keys.job(job_id), "m_crashes")


def test_a_worker_ends_after_its_job_on_the_first_signal(start_worker, tmp_path):
    path = tmp_path / "marks"
    job_id = leave_marks(path, 1.0)
    worker = start_worker()
    eventually(lambda: marks(path) == ["began"])

    worker.terminate()

    assert worker.wait(30) == 0
    assert state(job_id) == "finished"
    assert marks(path) == ["began", "ended"]


def test_a_worker_whose_record_is_gone_registers_again(start_worker):
    start_worker()
    (worker,) = eventually(lambda: store().smembers(keys.WORKERS))
    store().delete(worker)
    store().srem(keys.WORKERS, worker)

    eventually(lambda: store().hget(worker, "birth"))

    assert eventually(lambda: store().smembers(keys.WORKERS)) == {worker}
    assert store().hget(worker, "m_version")
