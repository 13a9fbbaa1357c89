"""The project's settings, with the sample jobs installed."""

from dashboard.settings import *  # noqa: F403
from dashboard.settings import INSTALLED_APPS as PROJECT_APPS

INSTALLED_APPS = [*PROJECT_APPS, "tests.samples"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
