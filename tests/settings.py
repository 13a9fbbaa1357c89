"""The project's settings, with the sample jobs installed."""

from dashboard.settings import *  # noqa: F403
from dashboard.settings import DEMO_QUEUES, REDIS_URL
from dashboard.settings import INSTALLED_APPS as PROJECT_APPS

INSTALLED_APPS = [*PROJECT_APPS, "tests.samples"]
RQ_QUEUES = {name: {"URL": REDIS_URL} for name in DEMO_QUEUES}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
