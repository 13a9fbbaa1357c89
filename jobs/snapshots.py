"""A text that all web processes share for half a second: the first to ask draws it, the others get the same.

In front lies a copy in this process. What comes from Redis was signed with the project's SECRET_KEY by whoever drew it,
so that nobody who can only write to Redis can put a page together. A process that may not write `mandor:snapshot:*`, or
whose Redis is away, draws for itself.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from django.core.signing import BadSignature, Signer
from redis.exceptions import ResponseError

from jobs import keys
from jobs.connection import StoreAway, store

LIFE = timedelta(milliseconds=500)
DRAWING = timedelta(seconds=2)
PATIENCE = timedelta(milliseconds=500)
LOOK_EVERY = timedelta(milliseconds=20)
ALONE = timedelta(seconds=10)
MOST = 200

Draw = Callable[[], str]


class NotShared(Exception):
    """What a `draw` raises to keep its outcome to itself: the next caller draws anew."""


@dataclass(slots=True)
class _Place:
    """The copy of one text in this process, or what drawing it raised, and until when that counts."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    text: str = ""
    failure: Exception | None = None
    until: float = 0.0


class _Look(NamedTuple):
    """What lies in Redis: the text, for how long, and whether it is now this process's turn to draw it."""

    text: str | None
    left: timedelta
    mine: bool


_places: dict[str, _Place] = {}
_alone_until = 0.0


def share(name: str, draw: Draw) -> str:
    """Return the text `name` as drawn within the last half second, by any process with the same SECRET_KEY.

    Else draws it, once however many ask. Raises what `draw` raises, for all who asked meanwhile.
    """
    place = _find_place(name)
    with place.lock:
        if time.monotonic() >= place.until:
            _renew(place, name, draw)
        if place.failure:
            raise place.failure
        return place.text


def forget_snapshots() -> None:
    """Drop this process's copies, as a test with another server must."""
    global _alone_until  # noqa: PLW0603  one process, one state
    _places.clear()
    _alone_until = 0.0


def _find_place(name: str) -> _Place:
    if len(_places) >= MOST:
        now = time.monotonic()
        for other, place in list(_places.items()):
            if place.until < now:
                _places.pop(other, None)
    return _places.setdefault(name, _Place())


def _renew(place: _Place, name: str, draw: Draw) -> None:
    place.text, place.failure, life = "", None, LIFE
    try:
        place.text, life = _get_or_draw(name, draw)
    except NotShared:
        raise
    except Exception as error:  # noqa: BLE001  it is raised to everybody who asks
        place.failure = error
    place.until = time.monotonic() + life.total_seconds()


def _get_or_draw(name: str, draw: Draw) -> tuple[str, timedelta]:
    give_up = time.monotonic() + PATIENCE.total_seconds()
    while time.monotonic() < give_up:
        look = _look(name)
        if look is None:
            break
        if look.mine:
            return _draw_for_all(name, draw), LIFE
        if look.text is not None:
            return look.text, look.left
        time.sleep(LOOK_EVERY.total_seconds())
    return draw(), LIFE


def _look(name: str) -> _Look | None:
    """Look what there is and, where there is nothing, mark it as being drawn; None when this process is alone."""
    if time.monotonic() < _alone_until:
        return None
    key = keys.snapshot(name)
    pipeline = store().pipeline(transaction=False)
    pipeline.set(key, "", nx=True, px=DRAWING)
    pipeline.get(key)
    pipeline.pttl(key)
    try:
        mine, found, left = pipeline.execute()
    except (*StoreAway, ResponseError):
        _stay_alone()
        return None
    if mine or not found:
        return _Look(None, LIFE, bool(mine))
    try:
        return _Look(_signer(name).unsign(found.decode()), timedelta(milliseconds=max(left, 0)), mine=False)
    except (BadSignature, UnicodeDecodeError):
        return None


def _stay_alone() -> None:
    global _alone_until  # noqa: PLW0603  one process, one state
    _alone_until = time.monotonic() + ALONE.total_seconds()


def _draw_for_all(name: str, draw: Draw) -> str:
    key, written = keys.snapshot(name), False
    try:
        text = draw()
        with suppress(*StoreAway, ResponseError):
            written = bool(store().set(key, _signer(name).sign(text), px=LIFE))
    finally:
        if not written:
            with suppress(*StoreAway, ResponseError):
                store().delete(key)
    return text


def _signer(name: str) -> Signer:
    return Signer(salt=f"mandor.snapshot.{name}")
