"""Every text of every page comes from the catalogue: in a language that marks its texts nothing else is words."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from django.template.base import Lexer, TokenType
from django.template.loader import render_to_string
from django.utils import translation

from tests.dashboard.conftest import SignIn
from tests.every_page import fill_every_page

TEMPLATES = Path(__file__).parents[2] / "templates"
NOT_TEXT = re.compile(r"<(script|style|svg)\b.*?</\1>|<(code|pre|kbd|time)\b[^>]*>.*?</\2>|<!--.*?-->", re.DOTALL)
SAID = re.compile(r'\b(?:title|aria-label|placeholder|data-label|alt)="([^"]*)"')
RAW = re.compile(r'<details class="card" id="job-fields">.*?<dl.*?</dl>', re.DOTALL)
MARKED = re.compile(r"⟦[^⟦⟧]*⟧")
MONO = re.compile(r'<(\w+)\b[^>]*\bclass="[^"]*\bmono\b[^"]*"[^>]*>[^<]*</\1>')
DATA = re.compile(
    r"Mandor|English|Bahasa Indonesia|development|JSON|RQ|p(?:50|95|99)|viewer|operator|admin|\bann\b|[kM]?B\b|\bms\b|"
    r"(?:tests\.)?[\w.]*(?:samples|jobs|factories)\.\w+|[\w/-]+/[\w./-]+|report:\d+|[0-9a-f]{6,}[0-9a-f-]*|[\w-]+:\d+|"
    r"\w+Error\b|no such address|\b(?:echo|locked|cached|plain|report)\b|"
    r"mail|reports|billing|web-1|worker-|cron-1|[\w-]+[_=][\w-]+|\d+(?:\.\d+)?[a-z]*",
)


@pytest.fixture
def marking(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put marks around whatever comes from the catalogue."""
    translation.gettext("")
    real = translation._trans

    def mark(text: str) -> str:
        return text if text in ("d h m s", "H:i:s", "Y-m-d H:i:s") else f"⟦{text}⟧"

    monkeypatch.setattr(real, "gettext", mark)
    monkeypatch.setattr(real, "pgettext", lambda _, text: mark(text))
    monkeypatch.setattr(real, "ngettext", lambda one, many, number: mark(one if number == 1 else many))
    yield
    monkeypatch.undo()


def unmarked(html: str) -> list[str]:
    """Return the words of a page that are neither marked nor data."""
    html = RAW.sub("", NOT_TEXT.sub("", html))
    texts = [*SAID.findall(html), re.sub(r"<[^>]*>", " ", MONO.sub("", html))]
    return [
        word
        for text in texts
        for part in [MARKED.sub("", MARKED.sub("", unescape(text)))]
        for word in re.findall(r"[^\W\d_]{2,}.*", DATA.sub("", part))
    ]


def test_no_page_says_a_word_that_cannot_be_translated(sign_in: SignIn, marking: None):
    client = sign_in("admin")
    paths = fill_every_page()

    found = {path: unmarked(client.get(path).content.decode()) for path in paths}

    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize(
    "template",
    ["403.html", "403_csrf.html", "404.html", "_away.html", "registration/login.html", "registration/locked.html"],
)
def test_no_refusal_says_one_either(rf, marking: None, template: str):
    request = rf.get("/")

    assert unmarked(render_to_string(f"mandor/{template}", {}, request)) == []


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_a_template_writes_no_words_itself(path: Path):
    assert unmarked("".join(_written(path.read_text()))) == []


def _written(source: str) -> Iterator[str]:
    """Yield what a template writes by itself; a mark for what it translates, nothing for the rest."""
    translated = False
    for token in Lexer(source).tokenize():
        if token.token_type == TokenType.TEXT and not translated:
            yield token.contents
        elif token.token_type == TokenType.BLOCK:
            word = token.contents.split()[0]
            translated = word == "blocktranslate" or (translated and word != "endblocktranslate")
