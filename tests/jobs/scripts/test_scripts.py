"""Scripts: a server that forgot them is taught again, and a thread has a connection of its own."""

import os
import threading

import pytest
from redis.exceptions import ResponseError

from jobs import keys, scripts
from jobs.connection import store
from jobs.scripts import Rest
from tests import factories


def test_a_server_that_lost_its_scripts_is_taught_again():
    factories.enqueue()
    store().script_flush()

    assert factories.start().job_id


def test_a_script_runs_after_a_rest_from_which_a_push_wakes_it():
    store().lpush(keys.UPKEEP_WAKE, 1)

    answer = scripts.run(store(), "upkeep_resign", [keys.LEADER], ["mandor:one"], after=Rest(keys.UPKEEP_WAKE, 60))

    assert (answer, store().exists(keys.UPKEEP_WAKE)) == (0, 0)


def test_a_rest_that_the_server_refuses_is_an_error_and_no_reason_to_hurry():
    store().set(keys.UPKEEP_WAKE, "no list")

    with pytest.raises(ResponseError, match="WRONGTYPE"):
        scripts.run(store(), "upkeep_resign", [keys.LEADER], ["mandor:one"], after=Rest(keys.UPKEEP_WAKE, 60))


def test_pieces_are_pasted_in_and_prefixes_come_from_the_keys():
    text = scripts.source("job_claim")

    assert "-- include" not in text
    assert "[[mandor:lock:]]" in text


def test_threads_do_not_share_a_connection():
    ports = []

    def client_id() -> None:
        ports.append(scripts._own_connection(store().connection_pool))

    threads = [threading.Thread(target=client_id) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert ports[0] is not ports[1]


def test_a_forked_child_does_not_speak_on_its_parents_connection():
    parents = scripts._own_connection(store().connection_pool)

    pid = os.fork()
    if pid == 0:
        os._exit(scripts._own_connection(store().connection_pool) is parents)

    assert os.waitpid(pid, 0)[1] == 0
