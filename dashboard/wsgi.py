"""What gunicorn serves: `gunicorn dashboard.wsgi`."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

application = get_wsgi_application()

# All code stays as long as the process: a collection that looked through it again made a page wait for 80 ms.
import_module(settings.ROOT_URLCONF)
gc.collect()
gc.freeze()
