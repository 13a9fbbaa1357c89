"""Keep the leases of this process: one thread renews them all, another hears at once of those that are taken away.

Both live only while there is a lease. A forked child starts with none: its parent's locks are not its own.
"""

import os
import threading
import time
from contextlib import suppress

from redis.client import PubSub
from redis.exceptions import RedisError

from jobs import keys
from jobs.connection import store
from jobs.locks.holding import renew_all
from jobs.locks.leases import Lease
from jobs.logs import log

RECONNECT_S = 0.2
LISTEN_S = 0.5


class _Keeper:
    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.lock = threading.Lock()
        self.changed = threading.Event()
        self.leases: dict[Lease, float] = {}
        self.threads: list[threading.Thread] = []

    def keep(self, lease: Lease) -> None:
        with self.lock:
            self.leases[lease] = time.monotonic() + _third(lease)
            if not self.threads:
                self.threads = [
                    threading.Thread(target=self._renew, name="lease renewals", daemon=True),
                    threading.Thread(target=self._listen, name="lease revocations", daemon=True),
                ]
                for thread in self.threads:
                    thread.start()
        self.changed.set()

    def drop(self, lease: Lease) -> None:
        with self.lock:
            self.leases.pop(lease, None)

    def _due(self) -> tuple[list[Lease], float | None]:
        """Return the leases to renew now, and in how many seconds the next is due."""
        with self.lock:
            now = time.monotonic()
            due = [lease for lease, at in self.leases.items() if at <= now]
            for lease in due:
                self.leases[lease] = now + _third(lease)
            return due, min(self.leases.values(), default=now) - now if self.leases else None

    def _renew(self) -> None:
        while True:
            due, wait_s = self._due()
            if due:
                self._renew_now(due)
            self.changed.wait(wait_s)
            self.changed.clear()

    def _renew_now(self, due: list[Lease]) -> None:
        try:
            renew_all(due)
        except RedisError as error:
            log.warning("locks not renewed, Redis is away or refuses", error=str(error))
            with self.lock:
                for lease in due:
                    if lease in self.leases:
                        self.leases[lease] = time.monotonic() + RECONNECT_S
            return
        for lease in due:
            if lease.lost:
                log.warning("lease lost", resource=lease.resource, holder=lease.holder, token=lease.token)
                self.drop(lease)

    def _listen(self) -> None:
        while True:
            with suppress(RedisError), _channel() as channel:
                channel.subscribe(keys.REVOCATIONS)
                while True:
                    message = channel.get_message(timeout=LISTEN_S)
                    if message:
                        self._revoke(int(message["data"]))
            time.sleep(RECONNECT_S)

    def _revoke(self, token: int) -> None:
        with self.lock:
            revoked = [lease for lease in self.leases if lease.token == token]
        for lease in revoked:
            lease.lost = True
            log.warning("lease lost", resource=lease.resource, holder=lease.holder, token=lease.token)
            self.drop(lease)


_keeper = _Keeper()
os.register_at_fork(after_in_child=_keeper.reset)


def keep(lease: Lease) -> None:
    """Renew a lease at a third of its length from now on, until it is dropped or lost."""
    _keeper.keep(lease)


def drop(lease: Lease) -> None:
    """Renew it no more."""
    _keeper.drop(lease)


def _channel() -> PubSub:
    channel: PubSub = store().pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]
    return channel


def _third(lease: Lease) -> float:
    return lease.lease.total_seconds() / 3
