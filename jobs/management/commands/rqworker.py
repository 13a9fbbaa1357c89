"""`manage.py rqworker` with `--grace`: django-rq's own command for Mandor's workers."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError
from django_rq.management.commands import rqworker
from django_rq.workers import get_worker_class

from jobs.worker import Worker


class Command(rqworker.Command):
    help = "Run a worker on the given queues until it is told to stop."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)  # type: ignore[no-untyped-call]
        parser.add_argument(
            "--grace",
            type=_seconds,
            metavar="SECONDS",
            help="how long the current job may go on after the first SIGTERM, before it goes back to its queue; "
            'as long as it takes if 0, MANDOR["GRACE"] if left out',
        )

    def handle(self, *args: Any, grace: timedelta | None, **options: Any) -> None:
        if grace is not None:
            _mandors(options["worker_class"]).grace = grace
        super().handle(*args, **options)  # type: ignore[no-untyped-call]


def _seconds(text: str) -> timedelta:
    seconds = float(text)
    if not 0 <= seconds < timedelta.max.total_seconds():
        message = f"{text} is not a number of seconds from 0 on"
        raise ArgumentTypeError(message)
    return timedelta(seconds=seconds)


def _mandors(named: str | None) -> type[Worker]:
    worker_class: type[Any] = get_worker_class(named)  # type: ignore[no-untyped-call]
    if issubclass(worker_class, Worker):
        return worker_class
    message = f'--grace is for Mandor\'s workers, and {worker_class.__name__} is none: see RQ["WORKER_CLASS"].'
    raise CommandError(message)
