"""Static files have plain names before they are collected, and names by content afterwards."""

from pathlib import Path

from django.core.management import call_command

from dashboard.static_files import HashedFiles

FILE = "mandor/js/live.js"


def test_before_they_are_collected_names_are_plain(settings, tmp_path: Path):
    settings.STATIC_ROOT = tmp_path

    assert HashedFiles(location=tmp_path).url(FILE) == f"/static/{FILE}"


def test_afterwards_names_tell_the_content(settings, tmp_path: Path):
    settings.STATIC_ROOT = tmp_path
    call_command("collectstatic", interactive=False, verbosity=0)

    url = HashedFiles(location=tmp_path).url(FILE)

    assert url != f"/static/{FILE}"
    assert (tmp_path / url.removeprefix("/static/")).exists()
