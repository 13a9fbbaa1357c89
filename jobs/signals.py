"""Django signals for what needs a person."""

from django.dispatch import Signal

lock_stuck = Signal()
"""Sent once a hold by the upkeep, with `resource`, `token`, `holder`, `job_id`, `held` and `max_duration`."""
