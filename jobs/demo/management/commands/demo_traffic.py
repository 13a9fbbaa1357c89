"""`manage.py demo_traffic`: keep believable traffic going, and kill a worker now and then."""

from argparse import ArgumentParser
from threading import Thread
from typing import Any

from django.core.management.base import BaseCommand

from jobs.demo.endings import listen_for_end
from jobs.demo.kills import kill_now_and_then
from jobs.demo.plan import plan_calls
from jobs.demo.traffic import play


class Command(BaseCommand):
    help = "Enqueue jobs and read the cache as the visitors of a small shop would, about two calls a second."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, default=1, help="another seed, other traffic (1)")

    def handle(self, *_: Any, seed: int, **__: Any) -> None:
        ended = listen_for_end()
        Thread(target=kill_now_and_then, args=[ended], name="kills", daemon=True).start()
        play(plan_calls(seed), ended=ended)
