"""The house rules, one test a file that could break one, so that a breach names the file."""

import re
from pathlib import Path

import pytest

from jobs import keys

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "jobs/scripts").glob("[a-z]*.lua"))
PIECES = sorted((ROOT / "jobs/scripts").glob("_*.lua"))
PAGES = sorted(path for path in (ROOT / "dashboard/pages").glob("[a-z]*") if not path.name.startswith("__"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
PARTIALS = [path for path in TEMPLATES if path.name.startswith("_")]
PYTHON = sorted(path for folder in ("jobs", "dashboard") for path in (ROOT / folder).rglob("*.py"))
ALLOWED_AT_TOP = {
    ".ci", ".gitignore", "CHANGELOG.md", "LICENSE", "README.md", "benchmarks", "dashboard", "docs", "jobs", "manage.py",
    "pyproject.toml", "static", "templates", "tests",
}  # fmt: skip
WITHOUT_TEMPLATES = {"health", "metrics", "refusals", "sign_in"}


def each(paths):
    return pytest.mark.parametrize("path", paths, ids=[str(path.relative_to(ROOT)) for path in paths])


def test_the_top_level_holds_nothing_but_what_belongs_there():
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".") or path.name == ".ci"}

    assert found - {"var", "uv.lock", "dist", "test-results"} <= ALLOWED_AT_TOP


@each(SCRIPTS)
def test_a_script_says_what_each_key_and_argument_is_and_what_it_returns(path):
    text = path.read_text()
    header = text.partition("]]")[0]

    assert text.startswith("--[[")
    assert "Returns" in header
    for name in ("KEYS", "ARGV"):
        used = {int(number) for number in re.findall(rf"{name}\[(\d+)\]", text.partition("]]")[2])}
        described = re.findall(rf"^{name}\[(\d+)(?:…(\d*))?\]", header, re.MULTILINE)
        documented = {n for first, last in described for n in range(int(first), int(last or first) + 1)}
        assert used <= documented, f"{name} {sorted(used - documented)} are used and not described"


@each(PIECES)
def test_a_shared_piece_says_what_it_needs_or_is(path):
    assert path.read_text().startswith("-- ")


@each(SCRIPTS + PIECES)
def test_a_script_spells_no_key(path):
    assert not re.search(r'"(rq|mandor):[a-z]', path.read_text())


@each(SCRIPTS)
def test_a_script_is_run_by_the_product(path):
    callers = "".join(module.read_text() for module in PYTHON)

    assert f'"{path.stem}"' in callers


@each(PYTHON)
def test_keys_are_spelled_in_one_place(path):
    if path.name != "keys.py":
        assert not re.search(r"""["'](rq|mandor):[a-z-]+:""", path.read_text())


@pytest.mark.parametrize("name", [name for name, value in vars(keys).items() if callable(value) or name.isupper()])
def test_every_key_stands_in_the_key_list(name):
    value = getattr(keys, name)
    if name in {"RQ", "OURS", "PREFIXES"}:
        return
    key = value("") if callable(value) else value
    listed = (ROOT / "docs/redis-keys.md").read_text()

    assert f"`{key.split('::')[0].rstrip(':')}" in listed


@each(PAGES)
def test_a_page_has_its_templates_and_its_test(path):
    name = path.stem
    if name == "__init__":
        return

    assert name in WITHOUT_TEMPLATES or (ROOT / "templates/mandor" / name).is_dir()
    assert list((ROOT / "tests/dashboard").rglob(f"test_{name}*.py"))


@each(PARTIALS)
def test_a_partial_says_what_it_is_and_needs(path):
    first = path.read_text().splitlines()[0]

    assert first.startswith("{#")
    assert first.endswith("#}")


@each(TEMPLATES)
def test_a_template_is_small_and_has_no_inline_style_or_script(path):
    text = path.read_text()

    assert len(text.splitlines()) <= 60
    assert not re.search(r"\sstyle=|\son[a-z]+=|hx-on|<script(?![^>]*\ssrc=)|<style", text)


@each(PYTHON)
def test_a_module_says_what_it_is_for_and_is_no_crowd(path):
    text = path.read_text()
    if not text.strip() or "migrations" in path.parts:
        return

    assert text.startswith('"""'), "the first line says what the module is for"
    assert len(text.splitlines()) <= 250
