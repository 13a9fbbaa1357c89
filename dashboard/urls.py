"""The pages, one path a line; the verb comes last and takes POST only."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

import dashboard.converters  # noqa: F401  the parts of a path that are names
from dashboard.api import api
from dashboard.pages import (
    activity,
    cache,
    dead_letters,
    health,
    locks,
    metrics,
    overview,
    queues,
    schedules,
    sign_in,
    workers,
)
from dashboard.pages.jobs import actions, edit, enqueue, index, selected, show

handler403 = "dashboard.pages.refusals.forbidden"
handler404 = "dashboard.pages.refusals.not_found"

pages = [
    path("", overview.index, name="overview"),
    path("charts/", overview.charts, name="overview-charts"),
    path("queues/", queues.index, name="queues"),
    path("queues/<name:name>/", queues.show, name="queue"),
    path("queues/<name:name>/charts/", queues.charts, name="queue-charts"),
    path("queues/<name:name>/pause/", queues.pause, name="queue-pause"),
    path("queues/<name:name>/resume/", queues.resume, name="queue-resume"),
    path("queues/<name:name>/empty/", queues.empty, name="queue-empty"),
    path("jobs/", index.index, name="jobs"),
    path("jobs/retry/", selected.retry, name="jobs-retry"),
    path("jobs/discard/", selected.discard, name="jobs-discard"),
    path("jobs/restore/", selected.restore, name="jobs-restore"),
    path("jobs/enqueue/", enqueue.enqueue, name="job-enqueue"),
    path("jobs/<job:job_id>/", show.show, name="job"),
    path("jobs/<job:job_id>/retry/", actions.retry, name="job-retry"),
    path("jobs/<job:job_id>/discard/", actions.discard, name="job-discard"),
    path("jobs/<job:job_id>/restore/", actions.restore, name="job-restore"),
    path("jobs/<job:job_id>/stop/", actions.stop, name="job-stop"),
    path("jobs/<job:job_id>/edit/", edit.edit, name="job-edit"),
    path("locks/", locks.index, name="locks"),
    path("locks/show/", locks.show, name="lock"),
    path("locks/release/", locks.release, name="lock-release"),
    path("cache/", cache.index, name="cache"),
    path("cache/charts/", cache.charts, name="cache-charts"),
    path("cache/entry/", cache.show, name="cache-entry"),
    path("cache/namespace/", cache.namespace, name="cache-namespace"),
    path("cache/invalidate/", cache.invalidate, name="cache-invalidate"),
    path("dead-letters/", dead_letters.index, name="dead-letters"),
    path("workers/", workers.index, name="workers"),
    path("workers/<name:name>/stop/", workers.stop, name="worker-stop"),
    path("schedules/", schedules.index, name="schedules"),
    path("schedules/<name:name>/run/", schedules.run, name="schedule-run"),
    path("activity/", activity.index, name="activity"),
    path("activity/export/", activity.export, name="activity-export"),
    path("metrics", metrics.show, name="metrics"),
    path("healthz", health.show, name="health"),
    path("language/", require_POST(set_language), name="language"),
    path("accounts/login/", sign_in.SignInView.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(next_page="mandor:login"), name="logout"),
]

urlpatterns = [
    path("api/", api.urls),
    path("", include((pages, "mandor"))),
]
