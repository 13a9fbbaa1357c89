"""Playing the plan: each verb does what it says, and neither a backlog nor an outage ends it."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event

from jobs import keys
from jobs.connection import forget_connections, store
from jobs.demo import jobs
from jobs.demo.plan import Call, Verb
from jobs.demo.traffic import LATE, MOST_WAITING, make_call, play
from tests import factories
from tests.conftest import SERVER

NOW = timedelta(0)
MAIL = keys.queue("mail")
REPORTS = keys.queue("reports")


def send_mail(at: timedelta = NOW, verb: Verb = Verb.ENQUEUE) -> Call:
    return Call(at, verb, jobs.send_mail, {"message_id": 7}, "POST /messages/", timedelta(minutes=1))


def report(verb: Verb) -> Call:
    return Call(NOW, verb, jobs.build_report, {"report_id": 42}, "GET /reports/42/", NOW)


def test_a_call_enqueues_in_the_name_of_its_endpoint():
    make_call(send_mail())

    (job_id,) = store().lrange(MAIL, 0, -1)
    assert store().hget(keys.job(job_id.decode()), "m_from") == b"POST /messages/"


def test_a_call_for_later_is_scheduled():
    make_call(send_mail(verb=Verb.LATER))

    assert store().zcard(keys.scheduled("mail")) == 1
    assert store().llen(MAIL) == 0


def test_a_reader_who_misses_has_one_refresh_enqueued():
    make_call(report(Verb.READ))
    make_call(report(Verb.READ))

    assert store().llen(REPORTS) == 1


def test_changed_data_is_computed_anew():
    make_call(report(Verb.CHANGED))

    assert store().llen(REPORTS) == 1


def test_while_the_workers_are_behind_nothing_is_enqueued():
    factories.enqueue(count=MOST_WAITING + 1)

    make_call(send_mail())

    assert store().llen(MAIL) == MOST_WAITING + 1


def test_what_could_not_be_asked_in_its_time_is_left_out():
    play([send_mail(at=-2 * LATE), send_mail()], ended=Event())

    assert store().llen(MAIL) == 1


def test_the_traffic_goes_on_after_an_outage_of_redis():
    socket = Path(SERVER.url.removeprefix("unix://").partition("?")[0])

    def calls_with_an_outage() -> Iterator[Call]:
        aside = socket.rename(socket.with_suffix(".aside"))
        forget_connections()
        yield send_mail()
        aside.rename(socket)
        yield send_mail()

    play(calls_with_an_outage(), ended=Event())

    assert store().llen(MAIL) == 1


def test_it_ends_when_asked_to():
    ended = Event()
    ended.set()

    play([send_mail(at=timedelta(hours=1))], ended=ended)

    assert store().llen(MAIL) == 0
