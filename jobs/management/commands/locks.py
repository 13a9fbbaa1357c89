"""`manage.py locks`: see and release locks from the command line, also when the site is down."""

import getpass
import json
from argparse import ArgumentParser
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from jobs import locks
from jobs.connection import StoreAway
from jobs.reads.lock_rows import LockRow
from jobs.reads.locks import list_locks, show_lock


class Command(BaseCommand):
    help = "List the held locks, show one with who waits for it, or release one by hand."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        listing = verbs.add_parser("list", help="held locks, the nearest to being stuck first")
        showing = verbs.add_parser("show", help="one lock, held or free")
        releasing = verbs.add_parser("release", help="release a lock; its holder learns of it and may write no more")
        for verb in (listing, showing, releasing):
            verb.add_argument("--json", action="store_true", help="for programs")
        for verb in (showing, releasing):
            verb.add_argument("resource")
        releasing.add_argument("--token", type=int, help="only the hold with this token; the present one if left out")
        releasing.add_argument("--as", dest="by", default=getpass.getuser(), metavar="USER", help="who releases it")
        releasing.add_argument("--reason", required=True, help="why; kept on record")

    def handle(self, *_: Any, verb: str, **options: Any) -> None:
        try:
            getattr(self, f"_{verb}")(**options)
        except StoreAway as error:
            message = f"Redis does not answer: {error}"
            raise CommandError(message) from None

    def _list(self, *, json: bool, **_: Any) -> None:
        held = list_locks().rows
        if json:
            self._write_json([asdict(row) for row in held])
            return
        for row in held:
            self.stdout.write(_describe(row))
        if not held:
            self.stdout.write("No lock is held.")

    def _show(self, *, resource: str, json: bool, **_: Any) -> None:
        lock = show_lock(resource)
        if json:
            self._write_json(asdict(lock))
            return
        self.stdout.write(_describe(lock.hold) if lock.hold else f"{resource} is free.")
        for waiter in lock.waiters:
            self.stdout.write(f"  waits: {waiter.name} {waiter.function}".rstrip())

    def _release(self, *, resource: str, token: int | None, by: str, reason: str, json: bool, **_: Any) -> None:
        hold = show_lock(resource).hold
        seen = token or (int(hold.token) if hold else 0)
        released = bool(seen) and locks.force_release(resource, token=seen, by=by, reason=reason)
        if json:
            self._write_json({"resource": resource, "token": seen, "released": released})
        if not released:
            message = f"Nothing was released: {resource} is free, or has another holder than token {token} names."
            raise CommandError(message)
        if not json:
            self.stdout.write(f"Released {resource}.")

    def _write_json(self, value: Any) -> None:
        self.stdout.write(json.dumps(value, default=_plain, indent=2))


def _describe(row: LockRow) -> str:
    marks = "STUCK " if row.stuck else ""
    return f"{marks}{row.resource} token={row.token} since={row.since} waiters={row.waiters}"


def _plain(value: Any) -> str | float:
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value.isoformat() if isinstance(value, datetime) else str(value)
