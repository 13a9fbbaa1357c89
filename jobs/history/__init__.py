"""The past of each queue and of the whole, in three resolutions: what charts and sparklines are drawn from."""

from jobs.history.resolutions import FINE, HOURS, MINUTES, RESOLUTIONS, Resolution
from jobs.history.sampling import list_queue_names, sample

__all__ = ["FINE", "HOURS", "MINUTES", "RESOLUTIONS", "Resolution", "list_queue_names", "sample"]
