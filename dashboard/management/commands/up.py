"""`manage.py up`: everything on one machine, started by one command and ended by Ctrl-C."""

import os
import signal
import sys
from argparse import ArgumentParser
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connections

from dashboard.embedded import EmbeddedServer, EmbeddedServerFailed, start_server, stop_left_behind
from dashboard.static_collection import collect_static_files
from dashboard.supervision.addresses import Address, read_address
from dashboard.supervision.folders import lock_folder
from dashboard.supervision.lifeline import Lifeline
from dashboard.supervision.lines import Lines
from dashboard.supervision.parts import list_parts
from dashboard.supervision.refusals import CannotStart
from dashboard.supervision.supervisor import Supervisor
from dashboard.users import create_first_users, make_password
from jobs.conf import conf
from jobs.demo.ownership import NotOurs, claim_server
from jobs.servers import UnfitServer, check_server

REFUSALS = (CannotStart, EmbeddedServerFailed, UnfitServer, NotOurs)
LOCAL_HOSTS = "localhost,127.0.0.1,[::1]"


@dataclass(slots=True)
class Ending:
    """Whether somebody asked for the end: Ctrl-C, SIGTERM, or a terminal that was closed."""

    wanted: bool = field(default=False)

    def listen(self) -> None:
        """Take over the signals. Under nohup, which ignores SIGHUP, a closed terminal stays no reason to end."""
        hangup = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
        for number in (signal.SIGINT, signal.SIGTERM, *hangup):
            signal.signal(number, self._want)

    def _want(self, *_: object) -> None:
        self.wanted = True


class Command(BaseCommand):
    help = "Run everything on this machine: Redis unless REDIS_URL is set, upkeep, workers and the web server."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workers", type=int, default=2, help="how many workers to run (2)")
        parser.add_argument("--bind", default="127.0.0.1:8000", help="where the pages are served (127.0.0.1:8000)")
        parser.add_argument("--demo", action="store_true", help="keep believable traffic going")

    def handle(self, *_: Any, workers: int, bind: str, demo: bool, **__: Any) -> None:
        if not hasattr(settings, "VAR_DIR"):
            message = "`up` runs Mandor's own project. In yours, run `rqworker`, `upkeep` and your web server."
            raise CommandError(message)
        ending = Ending()
        ending.listen()
        try:
            run(read_address(bind), workers=max(workers, 0), demo=demo or conf().DEMO, ending=ending)
        except REFUSALS as refusal:
            raise CommandError(str(refusal)) from None


def run(address: Address, *, workers: int, demo: bool, ending: Ending) -> None:
    """Prepare, start and watch everything until the end is wanted. Raises one of REFUSALS when something is wrong."""
    lines = Lines()
    with ExitStack() as stack:
        lock = stack.enter_context(lock_folder(settings.VAR_DIR))
        address.check_free()
        server = _start_server(stack, lines, demo=demo)
        url = server.url if server else os.environ["REDIS_URL"]
        check_server(url)
        if demo:
            claim_server(url)
        _prepare(lines)
        lifeline = Lifeline(lock)
        stack.callback(lifeline.close)
        parts = list_parts(
            workers=workers,
            queues=list(settings.RQ_QUEUES),
            bind=address.bind,
            wsgi=settings.WSGI_APPLICATION,
            demo=demo,
        )
        environment = _environment(url, address, demo=demo)
        supervisor = Supervisor(parts, environment, lines=lines, lifeline=lifeline, server=server)
        stack.callback(supervisor.end)
        supervisor.start()
        supervisor.watch(until=lambda: ending.wanted or address.answers())
        if not ending.wanted:
            _welcome(address, demo=demo)
        supervisor.watch(until=lambda: ending.wanted)
        lines.say("up", "Ending: jobs that run have 5 s to finish, then they go back to their queues.")


def _start_server(stack: ExitStack, lines: Lines, *, demo: bool) -> EmbeddedServer | None:
    """Start the embedded server unless another is named. The demo's data and other people's lie apart."""
    if os.environ.get("REDIS_URL"):
        return None
    folders = [settings.VAR_DIR / "valkey", settings.VAR_DIR / "valkey-demo"]
    own, other = reversed(folders) if demo else folders
    stop_left_behind(other)
    server = start_server(own, persistent=True)
    stack.callback(server.stop)
    lines.say("up", f"The embedded Valkey runs (process {server.pid}); its data lies in {server.folder}.")
    return server


def _prepare(lines: Lines) -> None:
    """Bring database and static files up to date. Raises CannotStart."""
    try:
        call_command("migrate", interactive=False, verbosity=0)
        collect_static_files()
    except (DatabaseError, OSError) as error:
        message = f"Cannot prepare the database and the static files: {' '.join(str(error).split())}"
        raise CannotStart(message) from None
    finally:
        connections.close_all()
    lines.say("up", "Database and static files are up to date.")


def _environment(url: str, address: Address, *, demo: bool) -> dict[str, str]:
    """Return what the parts run with: the same settings as here, wherever they come from."""
    paths = [str(Path(sys.argv[0]).resolve().parent), os.environ.get("PYTHONPATH", "")]
    return {
        "ALLOWED_HOSTS": f"{LOCAL_HOSTS},{address.host}",
        **os.environ,
        "DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE,
        "MANDOR_DEMO": "1" if demo else "0",
        "MANDOR_LOG_LEVEL": os.environ.get("MANDOR_LOG_LEVEL", "WARNING" if demo else "INFO"),
        "MANDOR_TERMINAL": "1" if sys.stdout.isatty() else "",
        "MANDOR_VAR": str(settings.VAR_DIR.resolve()),
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "PYTHONUNBUFFERED": "1",
        "REDIS_URL": url,
    }


def _welcome(address: Address, *, demo: bool) -> None:
    """Say where the pages are and, where users were just made, how to sign in: the only time a password is shown."""
    given = os.environ.get("MANDOR_DEMO_PASSWORD", "")
    password = given or make_password()
    created = create_first_users(password, demo=demo)
    connections.close_all()
    sys.stdout.write(f"\nMandor runs at {address.url} (Ctrl-C ends it).\n")
    if created:
        shown = "the one in MANDOR_DEMO_PASSWORD" if given else password
        sys.stdout.write(f"Sign in as {' or '.join(created)}. Password: {shown}\n")
    else:
        sys.stdout.write(
            "Sign in with the password of the first start, or set another: manage.py changepassword admin\n"
        )
    if demo and "MANDOR_LOG_LEVEL" not in os.environ:
        sys.stdout.write("The demo's log shows what goes wrong; MANDOR_LOG_LEVEL=INFO shows every step.\n")
    sys.stdout.write("\n")
    sys.stdout.flush()
