"""Upkeep: one leader, soon replaced; due jobs, stuck locks and history, and hands off what is foreign."""

import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import structlog
from django.conf import settings
from rq import Worker as StockWorker
from rq.scheduler import RQScheduler

from jobs import keys, locks, rounds
from jobs.connection import store
from jobs.resolutions import FINE
from jobs.signals import lock_stuck
from jobs.upkeep import LONGEST_SLEEP_S, Upkeep
from tests import factories
from tests.samples.jobs import echo
from tests.waiting import eventually

SHORT = timedelta(milliseconds=30)


def candidate(name: str = "one", *queues: str) -> Upkeep:
    return Upkeep(store(), name=name, queues=queues)


def test_one_leads_and_when_it_steps_down_another_does():
    first, second = candidate("one"), candidate("two")
    with first.standing():
        eventually(lambda: store().get(keys.LEADER) == b"mandor:one")
        second.step()
        assert store().get(keys.LEADER) == b"mandor:one"

    second.step()

    assert store().get(keys.LEADER) == b"mandor:two"


def test_stepping_down_lets_a_foreign_scheduler_move_due_jobs_at_once():
    with candidate("one", "mail").standing():
        eventually(lambda: store().get(keys.scheduler_lock("mail")) == b"mandor:one")

    assert RQScheduler(["mail"], connection=store()).acquire_locks() == {"mail"}


def test_a_leader_that_dies_is_replaced_within_ten_seconds_also_from_a_rest_in_the_server():
    candidate("one").step()
    stands_again_s = candidate("two").step()

    assert 0 < LONGEST_SLEEP_S + store().pttl(keys.LEADER) / 1000 + stands_again_s <= 10


def test_a_leader_sleeps_for_less_than_a_second_and_until_the_next_job_is_due():
    upkeep = candidate("one", *settings.RQ_QUEUES)
    upkeep.step()
    assert 0.5 < upkeep.step() < 1

    echo.enqueue_in(SHORT)

    assert 0 < upkeep.step() <= 0.03


def test_where_there_is_more_to_move_than_a_round_may_the_queues_take_turns(monkeypatch):
    monkeypatch.setattr(rounds, "MOST_JOBS", 1)
    upkeep = candidate("one", "mail", "reports")
    upkeep.step()
    upkeep.served = ["mail", "reports"]
    for queue in ("mail", "mail", "reports"):
        store().zadd(keys.scheduled(queue), {factories.enqueue()[0]: 1})
    store().delete(keys.queue("mail"))

    upkeep.step()
    upkeep.step()

    assert (store().zcard(keys.scheduled("mail")), store().zcard(keys.scheduled("reports"))) == (1, 0)


def test_a_leader_that_sleeps_is_woken_to_step_down():
    upkeep = candidate("one", "mail")
    with upkeep.standing():
        eventually(lambda: upkeep.leads)

    assert not store().exists(keys.LEADER)


def test_it_moves_due_jobs_of_the_queues_it_serves():
    (job_id,) = factories.enqueue("tests.samples.jobs.echo")
    factories.fail_once(factories.start("mail"), delay=SHORT)
    upkeep = candidate("one", "mail")

    eventually(lambda: upkeep.step() and store().llen(keys.queue("mail")))

    assert store().lrange(keys.queue("mail"), 0, -1) == [job_id.encode()]
    assert store().get(keys.scheduler_lock("mail")) == b"mandor:one"


def test_it_leaves_a_queue_alone_that_only_foreign_workers_serve():
    StockWorker(["mail"], connection=store()).register_birth()
    factories.enqueue()
    factories.fail_once(factories.start("mail"), delay=SHORT)
    upkeep = candidate()

    eventually(lambda: upkeep.step() and store().zcount(keys.scheduled("mail"), 0, store().time()[0]))
    upkeep.step()

    assert store().llen(keys.queue("mail")) == 0
    assert upkeep.served == []


def test_it_stands_back_where_a_foreign_scheduler_holds_the_lock():
    store().set(keys.scheduler_lock("mail"), "somebody")
    factories.enqueue()
    factories.fail_once(factories.start("mail"), delay=SHORT)
    upkeep = candidate("one", "mail")

    eventually(lambda: upkeep.step() and store().zcount(keys.scheduled("mail"), 0, store().time()[0]))
    upkeep.step()

    assert store().llen(keys.queue("mail")) == 0
    assert store().get(keys.scheduler_lock("mail")) == b"somebody"


def test_adopt_makes_it_serve_every_queue(settings):
    settings.MANDOR = {"ADOPT": True}
    upkeep = candidate()

    upkeep.step()

    assert "mail" in upkeep.served


def test_a_stuck_lock_is_reported_once_a_hold():
    factories.hold("report:42", max_duration=SHORT)

    def reports() -> int:
        with structlog.testing.capture_logs() as lines:
            candidate().step()
        return sum(line["event"] == "lock stuck" and line["log_level"] == "warning" for line in lines)

    eventually(reports)
    assert reports() == 0
    assert store().hget(keys.lock("report:42"), "stuck") == b"1"


def test_a_lock_within_its_time_is_not_reported():
    factories.hold("report:42")

    candidate().step()

    assert not store().hexists(keys.lock("report:42"), "stuck")


def test_it_samples_each_queue_and_the_whole_every_ten_seconds():
    factories.enqueue(count=2)
    upkeep = candidate()

    upkeep.step()
    upkeep.step()

    ((_, mail), *_) = store().xrange(keys.history(FINE.name, "mail"))
    ((_, whole), *_) = store().xrange(keys.history(FINE.name))
    assert mail[b"waiting"] == whole[b"waiting"] == b"2"


def test_the_record_of_a_worker_that_is_long_gone_is_removed_from_the_lists():
    worker = StockWorker(["mail"], connection=store())
    worker.register_birth()
    store().delete(worker.key)

    candidate().step()

    assert store().scard(keys.WORKERS) == store().scard(keys.queue_workers("mail")) == 0


def test_a_stuck_lock_is_signalled_and_alerted_and_stays_held(settings, tmp_path):
    letter = tmp_path / "alert"
    receiver = HTTPServer(("127.0.0.1", 0), letter_box(letter))
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    settings.MANDOR = {"ALERT_URLS": (f"json://127.0.0.1:{receiver.server_port}",)}
    heard = []
    lock_stuck.connect(lambda **facts: heard.append(facts), weak=False, dispatch_uid="test")
    factories.hold("report:42", max_duration=SHORT)

    eventually(lambda: candidate().step() and heard)

    assert heard[0]["resource"] == "report:42"
    assert "report:42 is stuck" in eventually(lambda: letter.exists() and letter.read_text())
    assert store().exists(keys.lock("report:42"))
    lock_stuck.disconnect(dispatch_uid="test")
    receiver.shutdown()
    receiver.server_close()


def test_a_stuck_lock_is_released_by_itself_only_if_set_so(settings):
    settings.MANDOR = {"RELEASE_STUCK": True}
    factories.hold("report:42", max_duration=SHORT)

    eventually(lambda: candidate().step() and not store().exists(keys.lock("report:42")))

    assert store().hget(keys.revoked("report:42"), "by") == b"upkeep"


def letter_box(path: Path) -> type[BaseHTTPRequestHandler]:
    """Return a web server's handler that leaves what it is sent in a file."""

    class LetterBox(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            path.write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    return LetterBox


def test_a_holder_that_hangs_and_renews_is_found_stuck_all_the_same():
    with locks.hold("report:42", lease=timedelta(seconds=3), max_duration=timedelta(seconds=1)):
        eventually(lambda: candidate().step() and store().hexists(keys.lock("report:42"), "stuck"))
        assert int(store().hget(keys.lock("report:42"), "renewals")) > 0
