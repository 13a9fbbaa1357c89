"""Enqueuing: checked arguments, one step, on commit, and one refresh for many readers."""

import json
import zlib
from datetime import timedelta

import pytest
from django.db import transaction
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from jobs import caching, keys
from jobs.arguments import InvalidArguments
from jobs.connection import store
from jobs.enqueueing import enqueue_job, enqueued_from
from jobs.registry import UnknownJob, coordinated, find_job
from tests import factories
from tests.samples.jobs import cached, echo, locked

MINUTE = timedelta(minutes=1)


def waiting(queue: str) -> list[str]:
    return [job_id.decode() for job_id in store().lrange(keys.queue(queue), 0, -1)]


def test_an_enqueued_job_is_one_that_rq_can_read():
    enqueued = echo.enqueue(text="hello")

    job = Job.fetch(enqueued.job_id, connection=store(), serializer=JSONSerializer)
    assert (enqueued.status, job.get_status()) == ("queued", JobStatus.QUEUED)
    assert (job.func_name, job.kwargs, job.retries_left) == ("tests.samples.jobs.echo", {"text": "hello"}, 3)
    assert waiting("mail") == [enqueued.job_id]


def test_a_delayed_job_is_scheduled_and_not_on_its_queue():
    enqueued = echo.enqueue_in(MINUTE, text="later")

    assert enqueued.status == "scheduled"
    assert waiting("mail") == []
    due = store().zscore(keys.scheduled("mail"), enqueued.job_id)
    assert 58 < due - store().time()[0] <= 61


def test_the_endpoint_that_enqueued_is_on_record_and_secrets_are_masked_in_the_description():
    with enqueued_from("GET /reports/"):
        job_id = echo.enqueue(text="hello").job_id

    assert store().hget(keys.job(job_id), "m_from") == b"GET /reports/"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"report": 1}, {"report", "report_id"}),
        ({"report_id": "42"}, {"report_id"}),
        ({"report_id": True}, {"report_id"}),
        ({}, {"report_id"}),
    ],
)
def test_wrong_arguments_are_named(arguments, named):
    with pytest.raises(InvalidArguments) as raised:
        enqueue_job("tests.samples.jobs.locked", arguments)

    assert set(raised.value.problems) == named
    assert waiting("reports") == []


@pytest.mark.parametrize("value", [object(), float("nan"), "x" * 5000, {1, 2}])
def test_values_that_are_no_small_json_are_refused_by_name(value):
    @coordinated(queue="mail", name="tests.takes_anything")
    def takes_anything(*, value: object) -> None: ...

    with pytest.raises(InvalidArguments) as raised:
        takes_anything.enqueue(value=value)

    assert set(raised.value.problems) == {"value"}


def test_an_argument_that_makes_a_name_too_long_for_its_page_is_refused():
    @coordinated(queue="mail", resource="person:{name}", name="tests.greet")
    def greet(*, name: str) -> None: ...

    with pytest.raises(InvalidArguments, match="'name' is too long: the resource .* may have 500 characters"):
        greet.enqueue(name="x" * 600)


def test_an_unknown_job_is_refused_and_the_known_ones_are_named():
    with pytest.raises(UnknownJob, match=r"tests\.samples\.jobs\.echo"):
        enqueue_job("nothing.like_it", {})


def test_a_template_that_names_no_argument_is_refused_at_the_decorator():
    with pytest.raises(TypeError, match="invoice_id"):

        @coordinated(queue="mail", resource="invoice:{invoice_id}")
        def misspelt(*, invoice: int) -> None: ...


@pytest.mark.django_db(transaction=True)
def test_inside_a_transaction_the_id_is_made_at_once_and_the_job_pushed_on_commit():
    with transaction.atomic():
        enqueued = echo.enqueue()
        assert waiting("mail") == []

    assert waiting("mail") == [enqueued.job_id]


@pytest.mark.django_db(transaction=True)
def test_after_a_rollback_nothing_is_pushed():
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        echo.enqueue()
        1 / 0  # noqa: B018

    assert waiting("mail") == []


def test_many_readers_of_a_missing_entry_enqueue_one_refresh():
    entries = [cached.read(report_id=42) for _ in range(5)]

    assert {entry.state for entry in entries} == {caching.State.MISS}
    assert len(waiting("reports")) == 1


def test_a_reader_sees_that_a_worker_is_refreshing_and_who():
    cached.read(report_id=42)
    claim = factories.start("reports")

    entry = cached.read(report_id=42)

    assert (entry.state, entry.refreshing_by) == (caching.State.REFRESHING, claim.job_id)


def test_a_change_during_a_refresh_asks_for_another_and_its_own_fill_is_refused():
    cached.enqueue(report_id=42)
    claim = factories.start("reports")

    cached.changed(report_id=42)

    assert len(waiting("reports")) == 1
    assert factories.finish_cached(claim, '{"report": 41}') == "finished, cache refused"
    assert cached.read(report_id=42).state is caching.State.MISS


def test_a_job_whose_lock_was_released_by_hand_may_not_write_the_cache():
    from jobs import locks

    cached.enqueue(report_id=42)
    claim = factories.start("reports")
    locks.force_release("report:42", token=int(claim.token), by="ana", reason="hangs")

    assert factories.finish_cached(claim, '{"report": 41}') == "finished, cache refused"
    assert store().get(keys.cache("report:42")) is None


def test_a_finished_job_has_filled_its_entry():
    cached.enqueue(report_id=42)

    factories.finish_cached(factories.start("reports"), '{"report": 42}')

    entry = cached.read(report_id=42)
    assert (entry.state, entry.value) == (caching.State.HIT, {"report": 42})


def test_the_payload_is_small_json():
    job_id = locked.enqueue(report_id=42).job_id

    payload = json.loads(zlib.decompress(store().hget(keys.job(job_id), "data")))
    assert payload == ["tests.samples.jobs.locked", None, [], {"report_id": 42}]
    assert find_job(payload[0]).compute(report_id=42) == 42
