"""Names in addresses: a queue's or a worker's, as `jobs.names` writes it, is one part of a path whatever is in it.

A slash would end the part, and a part of dots leads elsewhere: they are spelled `~2f` and `~2e`, a tilde itself `~7e`.
All else is Django's to quote.
"""

import re

from django.urls import register_converter

SPECIAL = re.compile(r"[~/\\]|^\.+$")
SPELLED = re.compile(r"~([0-9a-f]{2})")


class NameConverter:
    """`<name:name>` in a path; not two names have the same address."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> str:
        """Return the name; an address that no name has is refused."""
        name = SPELLED.sub(lambda match: chr(int(match[1], 16)), value)
        if self.to_url(name) != value:
            raise ValueError
        return name

    def to_url(self, name: str) -> str:
        """Return the part of the path, not quoted yet."""
        return SPECIAL.sub(lambda match: "".join(f"~{ord(char):02x}" for char in match[0]), name)


class JobIdConverter(NameConverter):
    """`<job:job_id>` in a path: an id that reads like the verb of a page is spelled with its first letter hidden."""

    VERBS = frozenset(("enqueue", "retry", "discard", "restore"))

    def to_url(self, name: str) -> str:
        """Return the part of the path, not quoted yet."""
        return f"~{ord(name[0]):02x}{name[1:]}" if name in self.VERBS else super().to_url(name)


register_converter(NameConverter, "name")
register_converter(JobIdConverter, "job")
