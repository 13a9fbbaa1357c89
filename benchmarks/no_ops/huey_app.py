"""A job that does nothing, for Huey."""

import os

from huey import RedisHuey

huey = RedisHuey("no_ops", url=os.environ["REDIS_URL"])


@huey.task()
def nothing() -> None:
    pass
