"""The Django app of the coordination."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    name = "jobs"
    label = "mandor_jobs"
    verbose_name = "Mandor jobs"

    def ready(self) -> None:
        from jobs import checks  # noqa: F401, PLC0415  registers the system checks

        autodiscover_modules("jobs")
