"""The leader of the upkeep dies while all workers are busy: another takes over within ten seconds."""

from jobs import keys
from jobs.connection import store
from tests.samples.jobs import leave_marks_on_mail
from tests.waiting import eventually
from tests.worker_processes import kill_tree


def leader() -> str:
    return (store().get(keys.LEADER) or b"").decode().removeprefix("mandor:")


def test_a_leader_that_dies_is_replaced_while_all_workers_are_busy(start_worker, tmp_path):
    workers = [start_worker("--name", name) for name in ("one", "two")]
    for number in range(2):
        leave_marks_on_mail.enqueue(path=str(tmp_path / f"{number}"), seconds=18.0)
    eventually(lambda: store().zcard(keys.started("mail")) == 2 and leader() in {"one", "two"})
    dead = leader()

    kill_tree(workers[("one", "two").index(dead)])

    eventually(lambda: leader() not in {"", dead}, within=10)
    assert store().zcard(keys.started("mail")) >= 1
