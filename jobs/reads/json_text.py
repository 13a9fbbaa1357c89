"""JSON as people read it: indented, masked, and no longer than a page holds."""

import json
from typing import Any

from django.utils.translation import gettext as _

from jobs.masking import mask
from jobs.reads.fields import TEXT, text


def show(value: Any) -> str:
    """Return a JSON value as text, with what looks secret masked."""
    try:
        written = json.dumps(mask(value), indent=2, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return _("It cannot be shown as JSON")
    return text(written.encode("utf-8", "replace"), TEXT)
