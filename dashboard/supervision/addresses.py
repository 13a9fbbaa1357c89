"""The address the pages are served at."""

import re
import socket
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException

from dashboard.supervision.refusals import CannotStart

LAST_PORT = 65535
ANY_HOST = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  what to call, not what to listen on
ANSWER_WITHIN_S = 1.0


@dataclass(frozen=True, slots=True)
class Address:
    """A host and port to listen on."""

    host: str
    port: int

    @property
    def reachable_host(self) -> str:
        return ANY_HOST.get(self.host, self.host)

    @property
    def bind(self) -> str:
        return f"{_bracketed(self.host)}:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{_bracketed(self.reachable_host)}:{self.port}/"

    def check_free(self) -> None:
        """Raise CannotStart when nothing can listen here."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as error:
                message = f"Cannot listen on {self.bind}: {error.strerror}. Choose another with --bind."
                raise CannotStart(message) from None

    def answers(self) -> bool:
        """Return whether a web server here answers a request, whatever it says."""
        with closing(HTTPConnection(self.reachable_host, self.port, timeout=ANSWER_WITHIN_S)) as connection:
            try:
                connection.request("GET", "/healthz")
                connection.getresponse()
            except (OSError, HTTPException):
                return False
            return True


def read_address(text: str) -> Address:
    """Return the address in `host:port` or `[ipv6]:port`. Raises CannotStart."""
    found = re.fullmatch(r"(?:\[(?P<six>[\da-fA-F:.]+)\]|(?P<host>[^:\s\[\]]*)):(?P<port>\d{1,5})", text)
    if found is None or not 0 < int(found["port"]) <= LAST_PORT:
        message = f"--bind takes host:port with a port from 1 to {LAST_PORT}, as in 127.0.0.1:8000, not {text!r}."
        raise CannotStart(message)
    return Address(found["six"] or found["host"], int(found["port"]))


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
