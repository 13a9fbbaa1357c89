"""Settings: a wrong one is named, and told what it takes."""

from datetime import timedelta

import pytest
from django.core import checks

from jobs.checks import check_apps, check_queues, check_settings


@pytest.mark.parametrize(
    ("mandor", "clues"),
    [
        ({"VISIBILITY_TIMEOUT": timedelta(seconds=1)}, ["VISIBILITY_TIMEOUT", "at least 2 s"]),
        ({"VISIBILITY_TIMEOUT": 30}, ["VISIBILITY_TIMEOUT", "timedelta"]),
        ({"RETRIES": -1}, ["RETRIES", "whole number"]),
        ({"ALLOW": "reports.build"}, ["ALLOW", "tuple"]),
        ({"LOG_URL": "https://logs.example/?q={id}"}, ["LOG_URL", "{job_id}"]),
        ({"LOG_URL": "javascript:alert('{job_id}')"}, ["LOG_URL", "https://logs.example"]),
        ({"VISIBILTY_TIMEOUT": timedelta(seconds=30)}, ["VISIBILTY_TIMEOUT", "not a setting"]),
    ],
)
def test_a_wrong_setting_is_named_and_told_what_it_takes(settings, mandor, clues):
    settings.MANDOR = mandor

    (problem,) = check_settings()

    assert all(clue in problem.msg for clue in clues)


def test_the_environment_comes_first_and_a_wrong_one_is_named(settings, monkeypatch):
    monkeypatch.setenv("MANDOR_VISIBILITY_TIMEOUT", "soon")
    settings.MANDOR = {"VISIBILITY_TIMEOUT": timedelta(seconds=30)}

    (problem,) = check_settings()

    assert "MANDOR_VISIBILITY_TIMEOUT='soon'" in problem.msg
    monkeypatch.delenv("MANDOR_VISIBILITY_TIMEOUT")
    settings.MANDOR = {}


def test_the_projects_own_settings_are_right():
    assert not check_settings()
    assert not check_queues()
    assert not check_apps()


def test_a_jobs_queue_must_be_configured(settings):
    settings.RQ_QUEUES = {"mail": settings.RQ_QUEUES["mail"]}

    problems = [problem for problem in check_queues() if isinstance(problem, checks.Error)]

    assert any("'billing'" in problem.msg for problem in problems)


def test_an_app_before_jobs_that_takes_its_command_is_named(settings):
    settings.INSTALLED_APPS = ["django_rq", "jobs"]

    (problem,) = check_apps()

    assert "rqworker" in problem.msg and '"jobs" before "django_rq"' in problem.hint
