"""Names that others chose, of queues and workers, as text that a page and an address can carry, and back again.

What nobody can see (a line's end, a space at an end or beside another, …) is spelled byte by byte, as Python spells it,
and a backslash is doubled, so that no two names are written alike.
"""

import re

LONGEST = 500
ESCAPE = re.compile(r"\\(?:\\|x[0-9a-f]{2})")


def written(name: bytes | str) -> str:
    """Return `name`, as Redis has it, as printable text; a name over 500 characters is cut, and is then nobody's."""
    text = _spelled(decoded(name) if isinstance(name, bytes) else name)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def fits(name: str) -> bool:
    """Return whether pages can carry the whole of a name, so that a person can find it there and act on it."""
    return len(_spelled(name)) <= LONGEST


def decoded(name: bytes) -> str:
    """Return the exact name that Redis has; bytes that are no UTF-8 are surrogates, as connections send them."""
    return name.decode("utf-8", "surrogateescape")


def exact(text: str) -> str:
    """Return the name that `written` wrote; bytes that are no UTF-8 are surrogates in it, which `sent` turns back."""
    spelled = ESCAPE.sub(lambda match: chr(_byte(match[0])), sent(text).decode("latin-1"))
    return spelled.encode("latin-1").decode("utf-8", "surrogateescape")


def sent(text: str) -> bytes:
    """Return a key or a name as it goes to Redis, also one that is no UTF-8, which the client refuses to encode."""
    return text.encode("utf-8", "surrogateescape")


def _spelled(name: str) -> str:
    if name.isprintable() and "\\" not in name and name == " ".join(name.split()):
        return name
    return "".join(map(_write, f" {name}", name, f"{name[1:]} "))


def _write(before: str, char: str, after: str) -> str:
    if char == "\\":
        return "\\\\"
    if char.isprintable() and not (char == " " and " " in (before, after)):
        return char
    return "".join(f"\\x{byte:02x}" for byte in sent(char))


def _byte(escape: str) -> int:
    return ord("\\") if escape == "\\\\" else bytes.fromhex(escape[2:])[0]
