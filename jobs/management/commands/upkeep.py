"""`manage.py upkeep`: stand for election as the one who does the periodic work, without running jobs."""

import os
import signal
import socket
import threading
from typing import Any

from django.core.management.base import BaseCommand
from django_rq.queues import get_queue

from jobs.connection import first_queue, patient
from jobs.upkeep import Upkeep


class Command(BaseCommand):
    help = "Move due jobs, take back lapsed claims, notice stuck locks and sample the history, when elected."

    def handle(self, *_: Any, **__: Any) -> None:
        client = patient(get_queue(first_queue()).connection)
        upkeep = Upkeep(client, name=f"upkeep.{socket.gethostname()}.{os.getpid()}")
        ended = threading.Event()
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, lambda *_: ended.set())
        with upkeep.standing():
            ended.wait()
