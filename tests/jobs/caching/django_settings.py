"""Settings for Django's own cache tests, run against `SharedCache`."""

import os

SERVER = os.environ["REDIS_URL"].partition("?")[0]
SECRET_KEY = "not secret"
DATABASES = {name: {"ENGINE": "django.db.backends.sqlite3"} for name in ("default", "other")}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = False
CACHES = {"default": {"BACKEND": "jobs.caching.SharedCache", "LOCATION": SERVER}}
RQ_QUEUES = {"default": {"URL": os.environ["REDIS_URL"]}}
