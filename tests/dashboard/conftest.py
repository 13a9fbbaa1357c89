"""People at the dashboard: a test client or a real browser, signed in as a viewer, an operator or an admin."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.test import Client
from playwright.sync_api import Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")

SignIn: TypeAlias = Callable[[str], Client]
OpenAs: TypeAlias = Callable[[str, str], Page]


def make_user(role: str) -> User:
    """Return the user named like their role, made at the first call."""
    user, made = User.objects.get_or_create(username=role)
    if made:
        user.groups.add(Group.objects.get(name=role.capitalize()))
    return user


def signed_in(role: str) -> Client:
    client = Client()
    client.force_login(make_user(role), backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture(scope="session", autouse=True)
def static_root() -> None:
    """Make the folder of collected files, empty: WhiteNoise warns where there is none."""
    Path(settings.STATIC_ROOT).mkdir(exist_ok=True)


@pytest.fixture
def sign_in(db: None) -> SignIn:  # noqa: ARG001  needs the database
    """Return a function that signs in as `viewer`, `operator` or `admin` and returns the client."""
    return signed_in


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Start the machine's own Chromium; without one, skip, and fail where CI counts on it."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None and os.environ.get("CI"):
        pytest.fail("No Chromium on the PATH: install one, browser tests are part of the run in CI.")
    if path is None:
        pytest.skip("No Chromium on the PATH.")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright runs a loop in this thread; the ORM is not used in it
    return {"executable_path": path, "args": list(FLAGS)}


@pytest.fixture
def console(page: Page) -> Iterator[list[str]]:
    """Collect the errors of the browser's console; one that a test does not take off the list fails it."""
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield errors
    assert errors == []


@pytest.fixture
def open_as(
    page: Page,
    console: list[str],  # noqa: ARG001  every page opened this way is watched
    transactional_db: None,  # noqa: ARG001
    django_db_serialized_rollback: None,  # noqa: ARG001  keeps the groups that a migration made
    live_server: Any,
) -> OpenAs:
    """Return a function that signs in with a role in the browser and opens a path."""

    def open_path(role: str, path: str) -> Page:
        cookie = signed_in(role).cookies["sessionid"]
        page.context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": live_server.url}])
        page.goto(live_server.url + path)
        return page

    return open_path
