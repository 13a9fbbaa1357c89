"""Which requests are worth a line in the log: the polls of open pages are not."""

import logging
from typing import Any

QUIET_METHODS = ("GET ", "HEAD ")
WRONG = 400


class WorthALine(logging.Filter):
    """Keeps one line for a request that writes or goes wrong; for the loggers of `django_structlog` and of Django."""

    def filter(self, record: logging.LogRecord) -> bool:
        event: dict[str, Any] = record.msg if isinstance(record.msg, dict) else {}
        match event.get("event"):
            case "request_started":
                return False
            case "request_finished":
                return event["code"] >= WRONG or not event["request"].startswith(QUIET_METHODS)
        return record.name != "django.request" or bool(record.exc_info)
