"""The pages, one path a line; the verb comes last and takes POST only."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

import dashboard.converters  # noqa: F401  the parts of a path that are names
from dashboard.api import api
from dashboard.pages import (
    activity,
    cache,
    dead_letters,
    health,
    jobs,
    locks,
    metrics,
    overview,
    queues,
    schedules,
    sign_in,
    workers,
)

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
    path("jobs/", jobs.index, name="jobs"),
    path("jobs/<slug:job_id>/", jobs.show, name="job"),
    path("jobs/<slug:job_id>/retry/", jobs.retry, name="job-retry"),
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
    path("metrics", metrics.show, name="metrics"),
    path("healthz", health.show, name="health"),
    path("accounts/login/", sign_in.SignInView.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(next_page="mandor:login"), name="logout"),
]

urlpatterns = [
    path("api/", api.urls),
    path("", include((pages, "mandor"))),
]
