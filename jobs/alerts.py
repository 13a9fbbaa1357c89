"""Tell people beyond the dashboard: through apprise, to whatever `MANDOR["ALERT_URLS"]` names."""

import threading

from jobs.conf import conf
from jobs.logs import log


def send_alert(title: str, text: str) -> None:
    """Send a message to every configured address, in a thread: a slow one must not hold up the upkeep.

    An address that fails is logged and harms nothing.
    """
    urls = conf().ALERT_URLS
    if urls:
        threading.Thread(target=_send, args=(urls, title, text), name="alert", daemon=True).start()


def _send(urls: tuple[str, ...], title: str, text: str) -> None:
    from apprise import Apprise  # noqa: PLC0415  it is large, and most processes never alert

    sender = Apprise()
    wrong = sum(not sender.add(url) for url in urls)
    delivered = bool(len(sender)) and sender.notify(body=text, title=title)
    if wrong or not delivered:
        log.error("alert not delivered", title=title, wrong_addresses=wrong)
