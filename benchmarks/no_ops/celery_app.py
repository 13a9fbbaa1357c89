"""A job that does nothing, for Celery."""

import os

from celery import Celery

app = Celery("no_ops", broker=os.environ["REDIS_URL"])
app.conf.worker_hijack_root_logger = False


@app.task(ignore_result=True)
def nothing() -> None:
    pass
