"""Fifty rows a page."""

from dataclasses import dataclass

from django.http import HttpRequest, QueryDict

ROWS = 50


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list of `total` rows, None where nobody counted; numbers start at 1."""

    number: int
    total: int | None
    has_next: bool
    previous_url: str
    next_url: str

    @property
    def first(self) -> int:
        return (self.number - 1) * ROWS + 1

    @property
    def several(self) -> bool:
        return self.has_next or self.number > 1


def read_page_number(request: HttpRequest, *, highest: int = 10_000) -> int:
    """Return the page asked for; the first for whatever is not a page's number."""
    asked = request.GET.get("page", "")
    return min(max(int(asked), 1), highest) if asked.isdecimal() and len(asked) < 9 else 1  # noqa: PLR2004


def build_page(
    request: HttpRequest,
    *,
    total: int | None = None,
    has_next: bool | None = None,
    query: QueryDict | None = None,
) -> Page:
    """Return the page asked for, with links to its neighbours that keep the filters, or `query` instead of them."""
    number = read_page_number(request)
    more = has_next if has_next is not None else number * ROWS < (total or 0)
    kept = request.GET if query is None else query
    return Page(number, total, more, _page_url(kept, number - 1), _page_url(kept, number + 1))


def _page_url(kept: QueryDict, number: int) -> str:
    query = kept.copy()
    query["page"] = str(number)
    return f"?{query.urlencode()}"
