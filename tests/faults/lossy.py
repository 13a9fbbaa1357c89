"""A proxy before the server that loses an answer when told to: the request arrives, its reply does not."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path

Loses = Callable[[bytes], bool]


class LossyProxy:
    """Listens on a socket of its own and passes everything on, until `lose_next` cuts the next reply's connection."""

    def __init__(self, folder: Path, server: str) -> None:
        self.path = folder / "lossy.sock"
        self.server = server
        self.lost = 0
        self._lose = threading.Event()
        self._watched: tuple[bytes, Callable[[], None]] | None = None
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"unix://{self.path}?db=0"

    def lose_next(self) -> None:
        """Lose the next reply of the server, whichever connection it is for."""
        self._lose.set()

    def before_reply(self, clue: bytes, action: Callable[[], None]) -> None:
        """Do `action` while the first reply that holds `clue` is on its way."""
        self._watched = clue, action

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            upstream = socket.socket(socket.AF_UNIX)
            try:
                upstream.connect(self.server)
            except OSError:
                upstream.close()
                client.close()
                continue
            threading.Thread(target=self._pass_on, args=(client, upstream), daemon=True).start()
            threading.Thread(target=self._answer, args=(upstream, client), daemon=True).start()

    def _pass_on(self, client: socket.socket, upstream: socket.socket) -> None:
        _copy(client, upstream, lambda _piece: False)

    def _answer(self, upstream: socket.socket, client: socket.socket) -> None:
        _copy(upstream, client, self._loses)

    def _loses(self, piece: bytes) -> bool:
        if self._watched and self._watched[0] in piece:
            (_, action), self._watched = self._watched, None
            action()
        if self._lose.is_set():
            self._lose.clear()
            self.lost += 1
            return True
        return False


def _copy(source: socket.socket, target: socket.socket, loses: Loses) -> None:
    try:
        while piece := source.recv(65536):
            if loses(piece):
                break
            target.sendall(piece)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            continue
        finally:
            end.close()
