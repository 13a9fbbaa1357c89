"""The past of each queue and of the whole, in three resolutions: what charts and sparklines are drawn from."""

from jobs.history.sampling import sample

__all__ = ["sample"]
