"""The Django app of the coordination."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    name = "jobs"
    label = "mandor_jobs"
    verbose_name = "Mandor jobs"

    def ready(self) -> None:
        from jobs import checks  # noqa: F401, PLC0415  registers the system checks
        from jobs.logs import configure_structlog  # noqa: PLC0415

        configure_structlog()
        autodiscover_modules("jobs")
