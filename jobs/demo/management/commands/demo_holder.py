"""`manage.py demo_holder`: take a lock now and then, and hang."""

from typing import Any

from django.core.management.base import BaseCommand

from jobs.demo.endings import listen_for_end
from jobs.demo.holder import Pace, hold_now_and_then


class Command(BaseCommand):
    help = "Hold a lock for far too long now and then, as a script outside the jobs would that hangs."

    def handle(self, *_: Any, **__: Any) -> None:
        hold_now_and_then(Pace(), ended=listen_for_end())
