"""A job that does nothing, for Dramatiq."""

import os

import dramatiq
from dramatiq.brokers.redis import RedisBroker

dramatiq.set_broker(RedisBroker(url=os.environ["REDIS_URL"]))


@dramatiq.actor
def nothing() -> None:
    pass
