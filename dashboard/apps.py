"""The Django app of the dashboard."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    name = "dashboard"
    label = "mandor"
    verbose_name = "Mandor"
    default_auto_field = "django.db.models.BigAutoField"
