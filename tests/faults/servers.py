"""A server that is killed and comes back with its data."""

from pathlib import Path

from dashboard.embedded import start_server


class Server:
    """A Valkey with its data in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.start()

    @property
    def url(self) -> str:
        return self._running.url

    def start(self) -> None:
        """Start it, at the same address as before, and return once it answers."""
        self._running = start_server(self.folder, persistent=True)

    def kill(self) -> None:
        """End it as the machine's end would."""
        process = self._running.process
        assert process is not None
        process.kill()
        process.wait()
