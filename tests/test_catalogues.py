"""The catalogues hold every text, translated, and are compiled as they stand."""

import ast
import gettext
import shutil
import subprocess
from pathlib import Path

import pytest
from django.core.management import call_command

from dashboard.languages import SPOKEN

ROOT = Path(__file__).parent.parent
TRANSLATED = tuple(language for language in SPOKEN if language != "en")
APPS = ("dashboard", "jobs")
GETTEXT = ("_", "gettext", "gettext_lazy", "pgettext", "pgettext_lazy", "ngettext")
FOLDERS = [f"{app}/locale/{language}/LC_MESSAGES" for app in APPS for language in TRANSLATED]

needs_gettext = pytest.mark.skipif(shutil.which("xgettext") is None, reason="GNU gettext is not on the PATH")


def compile_catalogue(source: Path, target: Path) -> dict[str, str]:
    subprocess.run(["msgfmt", "--check-format", "-o", target, source], check=True)
    return read_catalogue(target)


def read_catalogue(path: Path) -> dict[str, str]:
    with path.open("rb") as file:
        texts = dict(gettext.GNUTranslations(file)._catalog)
    texts.pop("")
    return texts


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_catalogue_is_complete(folder: str):
    blocks = (ROOT / folder / "django.po").read_text().split("\n\n")

    unfinished = [block for block in blocks[1:] if block.rstrip().endswith(' ""') or "#, fuzzy" in block]

    assert unfinished == []


@needs_gettext
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_catalogue_is_compiled_as_it_stands(folder: str, tmp_path: Path):
    compiled = compile_catalogue(ROOT / folder / "django.po", tmp_path / "django.mo")

    assert read_catalogue(ROOT / folder / "django.mo") == compiled


@needs_gettext
def test_a_catalogue_holds_every_text_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings):
    for folder in (*APPS, "templates"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    settings.LOCALE_PATHS = [tmp_path / "dashboard/locale"]

    call_command("makemessages", locale=TRANSLATED, no_location=True, no_wrap=True, no_obsolete=True, verbosity=0)

    for folder in FOLDERS:
        found = compile_catalogue(tmp_path / folder / "django.po", tmp_path / "django.mo")
        texts = (tmp_path / folder / "django.po").read_text()
        assert "#, fuzzy" not in texts
        assert texts.count('\nmsgstr ""\n\n') == 0
        assert found == read_catalogue(ROOT / folder / "django.mo")


@pytest.mark.parametrize(
    "path", [path for app in APPS for path in (ROOT / app).rglob("*.py")], ids=lambda path: path.name
)
def test_no_text_stands_where_the_extraction_does_not_look(path: Path):
    formatted = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FormattedValue))
    calls = (node for each in formatted for node in ast.walk(each) if isinstance(node, ast.Call))

    assert [call.lineno for call in calls if ast.unparse(call.func) in GETTEXT] == []
