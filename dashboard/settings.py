"""The settings of the project as it runs by itself; a host project has its own and installs the two apps."""

from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.management.utils import get_random_secret_key

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(env.str("MANDOR_VAR", default=str(BASE_DIR / "var")))


def _secret_key() -> str:
    """Return the key from the environment, else one that is made once and kept beside the database."""
    given: str = env.str("SECRET_KEY", default="")
    if given:
        return given
    path = VAR_DIR / "secret_key"
    if path.exists():
        return path.read_text().strip()
    key: str = get_random_secret_key()
    try:
        VAR_DIR.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(key)
    except OSError:
        return key
    return key


SECRET_KEY = _secret_key()
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

MANDOR = {"DEMO": env.bool("MANDOR_DEMO", default=False)}

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "axes",
    "csp",
    "django_htmx",
    "django_structlog",
    "jobs",
    "dashboard",
    "django_rq",
]
if MANDOR["DEMO"]:
    INSTALLED_APPS.append("jobs.demo")

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "axes.middleware.AxesMiddleware",
    "dashboard.middleware.StoreAwayMiddleware",
]

ROOT_URLCONF = "dashboard.urls"
WSGI_APPLICATION = "dashboard.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'mandor.sqlite3'}")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 10,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]
CSRF_FAILURE_VIEW = "dashboard.pages.refusals.form_expired"
LOGIN_URL = "mandor:login"
LOGIN_REDIRECT_URL = "mandor:overview"
LOGOUT_REDIRECT_URL = "mandor:login"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_TEMPLATE = "mandor/registration/locked.html"

REDIS_URL = env.str("REDIS_URL", default="redis://localhost:6379/0")
RQ_QUEUES = {name: {"URL": REDIS_URL} for name in env.list("MANDOR_QUEUES", default=["reports", "mail", "billing"])}
RQ = {"WORKER_CLASS": "jobs.worker.Worker", "QUEUE_CLASS": "jobs.queue.Queue"}
RQ_SHOW_ADMIN_LINK = False

CACHES = {
    "default": {
        "BACKEND": "jobs.caching.SharedCache",
        "LOCATION": env.str("MANDOR_CACHE_URL", default="") or REDIS_URL,
        "KEY_PREFIX": "mandor:django",
    },
}

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "dashboard.static_files.HashedFiles"},
}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
    },
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.bool("MANDOR_HTTPS", default=False)

# The level is the terminal's: what jobs log at INFO stands on their pages whatever it is.
LOG_LEVEL = env.str("MANDOR_LOG_LEVEL", default="INFO").upper()
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"lines": {"()": "jobs.logs.line_formatter"}},
    "filters": {"worth a line": {"()": "dashboard.request_lines.WorthALine"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines", "level": LOG_LEVEL}},
    "root": {"handlers": ["stderr"], "level": "DEBUG" if LOG_LEVEL == "DEBUG" else "INFO"},
    "loggers": {
        "axes": {"level": "WARNING"},
        "django": {"handlers": [], "level": "INFO"},
        "django.server": {"handlers": [], "propagate": True},
        "django.request": {"filters": ["worth a line"]},
        "django_structlog.middlewares.request": {"filters": ["worth a line"]},
        "gunicorn.http.wsgi": {"level": "ERROR"},
    },
}

USE_TZ = True
TIME_ZONE = env.str("TZ", default="UTC")
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("id", "Bahasa Indonesia")]
LOCALE_PATHS = [BASE_DIR / "dashboard" / "locale"]
