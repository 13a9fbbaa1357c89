"""People at the dashboard: a test client or a real browser, signed in as a viewer, an operator or an admin."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.http import HttpResponse
from django.test import Client
from playwright.sync_api import Browser, Page

from jobs.connection import forget_connections
from tests.conftest import SERVER

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

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


def poll(client: Client, path: str, tag: str = "") -> HttpResponse:
    """Ask for a page's live region, as the region itself does."""
    return client.get(path, headers={"HX-Request": "true", "HX-Request-Type": "partial", "HX-PTag": tag})


@pytest.fixture(scope="session", autouse=True)
def static_root() -> None:
    """Make the folder of collected files, empty: WhiteNoise warns where there is none."""
    Path(settings.STATIC_ROOT).mkdir(exist_ok=True)


@pytest.fixture
def sign_in(db: None) -> SignIn:
    """Return a function that signs in as `viewer`, `operator` or `admin` and returns the client."""
    return signed_in


@pytest.fixture
def store_hangs() -> Iterator[None]:
    """Stop the server in its tracks: it takes connections and answers none."""
    os.kill(SERVER.process.pid, signal.SIGSTOP)
    yield
    os.kill(SERVER.process.pid, signal.SIGCONT)
    forget_connections()


@pytest.fixture(scope="session")
def base_url() -> str:
    """Stand in for a plugin's fixture whose form pytest warns about."""
    return ""


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
def dashboard_url(
    transactional_db: None,
    live_server: Any,
) -> str:
    """Return where the dashboard listens; the roles are made anew, since each such test empties the database."""
    import_module("dashboard.migrations.0001_initial").make_roles(apps, None)
    return str(live_server.url)


@pytest.fixture
def open_as(page: Page, console: list[str], dashboard_url: str) -> OpenAs:
    """Return a function that signs in with a role in the browser and opens a path; its console is watched."""
    return partial(open_path, page, dashboard_url)


@pytest.fixture
def open_without_javascript(browser: Browser, dashboard_url: str) -> Iterator[OpenAs]:
    """Return the same for a browser that runs no scripts."""
    context = browser.new_context(java_script_enabled=False)
    yield partial(open_path, context.new_page(), dashboard_url)
    context.close()


def open_path(page: Page, url: str, role: str, path: str) -> Page:
    cookie = signed_in(role).cookies["sessionid"]
    page.context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": url}])
    page.goto(url + path)
    return page
