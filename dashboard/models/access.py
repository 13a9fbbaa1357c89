"""What a person may do, as Django permissions on one model without a table: `mandor.<codename>`."""

from typing import ClassVar

from django.db import models

PERMISSIONS = (
    ("view", "May look at the dashboard"),
    ("pause_queue", "May pause and resume a queue"),
    ("empty_queue", "May empty a queue"),
    ("retry_job", "May retry a job"),
    ("discard_job", "May discard and restore a job"),
    ("stop_job", "May stop a running job"),
    ("edit_job", "May edit a job's arguments and retry it"),
    ("enqueue_job", "May enqueue a job"),
    ("release_lock", "May release a lock"),
    ("invalidate_cache", "May invalidate cache entries"),
    ("stop_worker", "May stop a worker"),
    ("view_activity", "May look at who did what"),
    ("view_metrics", "May read the metrics"),
)


class Access(models.Model):  # noqa: DJ008  never has an instance
    """Holds the permissions; has no rows."""

    class Meta:
        managed = False
        default_permissions = ()
        permissions: ClassVar = PERMISSIONS
