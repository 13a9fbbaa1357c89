"""The Django app of the demo, installed only with `MANDOR["DEMO"]`."""

from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "jobs.demo"
    label = "mandor_demo"
    verbose_name = "Mandor demo"
