"""What was gathered on this? The search page: `/`, `/search`, and `/open`, which leads to a result.

What a facet refines by is a parameter of its own beside the query, so that it can be taken back
with one click; the search itself is told in the query language, as a person would write it.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from shoal.collection.collection import Collection
from shoal.collection.search.results import Results
from shoal.errors import CollectionError, UsageError
from shoal.layout.clicks import Opened
from shoal.model.record import Struct
from shoal.model.words.marks import PATHS
from shoal.web.server.guard import comes_from_us
from shoal.web.server.http import RedirectResponse, Request, Response
from shoal.web.server.rendering import path, web_address
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, Problem, View, number, switch, text
from shoal.web.views.copies import own_address

PER_PAGE = 10
MOST_PER_PAGE = 100
_MOST_PAGES = 100
_MOST_QUERY_CHARS = 2000
_MOST_FILTER_CHARS = 300
_LABELS = {
    "site": "Site",
    "type": "Type",
    "language": "Language",
    "year": "Year",
    "class": "Class",
    "tree": "Subject",
    "person": "Person",
    "place": "Place",
    "org": "Organisation",
}
_YEAR = re.compile(r"[12][0-9]{3}")
_VALUE = r'[^\x00-\x20"\x7f-\xa0\s]{1,300}'
_NOT_A_VALUE = re.compile(r'[\s"]')
_LEVELS_SHOWN, _MOST_BRANCHES = 2, 40
_NAMED = ("person", "place", "org", *PATHS)
_NAME = r'[^\x00-\x1f"\x7f-\x9f]{1,300}'
_NOT_A_NAME = re.compile(r'[\x00-\x1f"\x7f-\x9f]')


class FacetValue(Struct):
    value: str
    count: int
    href: str
    """Where the search goes on with it, or without it when it is chosen."""
    chosen: bool = False
    level: int = 0
    """How far down a tree."""


class Facet(Struct):
    name: str
    label: str
    values: list[FacetValue]


class Figures(Struct):
    """What there is to search."""

    pages: int
    queued: int
    running: bool


class SearchPage(Struct):
    q: str
    filters: dict[str, str]
    explain: bool
    page: int
    found: Results | None
    """None: nothing was asked, or there is no index to ask."""
    facets: list[Facet]
    problem: str = ""
    figures: Figures | None = None
    previous: str = ""
    next: str = ""


@dataclass(frozen=True)
class Asked:
    q: str
    filters: dict[str, str]
    explain: bool
    page: int
    limit: int = PER_PAGE

    @property
    def query(self) -> str:
        """In the query language. What refines stands first: behind an OR it would be a part of
        it."""
        said = []
        for name, value in self.filters.items():
            match name:
                case "site":
                    said.append(f"site:{value}")
                case "type":
                    said.append(f"filetype:{value}")
                case "language":
                    said.append(f"lang:{value}")
                case "person" | "place" | "org" | "class" | "tree":
                    said.append(f'{name}:"{value}"')
                case "year":
                    said += [f"after:{value}-01-01", f"before:{int(value) + 1:04}-01-01"]
        return " ".join([*said, self.q]).strip()

    def href(self, changed: Mapping[str, str] | None = None, page: int = 1) -> str:
        """The same search, refined or on another page."""
        explain = "1" if self.explain else ""
        refined = self.filters | dict(changed or {})
        limit = self.limit if self.limit != PER_PAGE else ""
        beside = {"explain": explain, "limit": limit, "page": page if page > 1 else ""}
        return path("/search", q=self.q, **refined, **beside)


def search(site: Site, request: Request) -> Response:
    asked = _asked(request)
    with site.reading() as collection:
        found, problem = _found(collection, asked)
        if found is not None:
            site.watching.searches.note(found.seconds)
        is_told = found is None or not found.results
        figures = _figures(collection) if is_told and collection.sees_everything() else None
    data = SearchPage(
        q=asked.q,
        filters=asked.filters,
        explain=asked.explain,
        page=asked.page,
        found=found,
        facets=[] if found is None else _facets(asked, found),
        problem=problem,
        figures=figures,
        previous=asked.href(page=asked.page - 1) if asked.page > 1 else "",
        next=asked.href(page=asked.page + 1) if found is not None and found.has_more else "",
    )
    return site.answer(request, "search.html", data)


def open_result(site: Site, request: Request) -> Response:
    """Only to what is in the collection: a link to us must not lead just anywhere."""
    asked = text(request, "url")
    with site.reading() as collection:
        page = collection.page(asked) if asked else None
        counts = (
            page is not None
            and site.cluster is None
            and collection.config.search.count_opened == "yes"
        )
    if page is None:
        raise Problem(404, "This page is not in the collection.")
    if counts and comes_from_us(request.headers):
        with suppress(OSError):  # a directory that can't be written to: nothing is counted
            Opened(site.directory).note(page.url)
    return RedirectResponse(web_address(page.url) or own_address(page), 303)


def _asked(request: Request) -> Asked:
    given = {name: text(request, name, _MOST_FILTER_CHARS).strip() for name in _LABELS}
    for name, value in given.items():
        if _refused(name).search(value) or (
            name == "year" and value and not _YEAR.fullmatch(value)
        ):
            raise Problem(400, f"{name} is not understood; choose one of those on the page.")
    return Asked(
        q=" ".join(text(request, "q", _MOST_QUERY_CHARS).split()),
        filters={name: value for name, value in given.items() if value},
        explain=switch(request, "explain"),
        page=number(request, "page", 1, 1, _MOST_PAGES),
        limit=number(request, "limit", PER_PAGE, 1, MOST_PER_PAGE),
    )


def _refused(name: str) -> re.Pattern[str]:
    """What can't stand in a value: names have spaces."""
    return _NOT_A_NAME if name in _NAMED else _NOT_A_VALUE


def _found(collection: Collection, asked: Asked) -> tuple[Results | None, str]:
    if not asked.query:
        return None, ""
    try:
        found = collection.search(
            asked.query, limit=asked.limit, page=asked.page, explain=asked.explain, facets=True
        )
    except (CollectionError, UsageError) as error:  # there is no index yet, or it can't be read
        return None, str(error)
    return found, ""


def _facets(asked: Asked, found: Results) -> list[Facet]:
    facets = []
    for name, label in _LABELS.items():
        chosen = asked.filters.get(name, "")
        values = [
            FacetValue(value, count, asked.href({name: value}))
            for value, count in found.facets.get(name, [])
            if value and value != chosen and not _refused(name).search(value)
        ]
        if name in PATHS:
            values = _branches(values, chosen)
        if chosen:
            taken_back = FacetValue(chosen, found.total, asked.href({name: ""}), chosen=True)
            values = [taken_back, *values] if name in PATHS else [taken_back]
        if chosen or len(values) > 1:
            facets.append(Facet(name, label, values))
    return facets


def _branches(values: list[FacetValue], above: str) -> list[FacetValue]:
    """The next two levels below what is chosen, as they stand in the tree."""
    start = f"{above}/" if above else ""
    found = []
    for each in sorted(values, key=lambda value: value.value.split("/")):
        level = each.value.removeprefix(start).count("/")
        if each.value.startswith(start) and level < _LEVELS_SHOWN:
            each.level = level + bool(above)
            found.append(each)
    return found[:_MOST_BRANCHES]


def _figures(collection: Collection) -> Figures:
    status = collection.status()
    return Figures(status.fetched + status.unchanged, status.queued, status.running)


_PARAMETERS = (
    Parameter("q", "What to look for, in the query language."),
    Parameter("site", "Only of this site.", pattern=_VALUE),
    Parameter("type", "Only of this media type.", pattern=_VALUE),
    Parameter("language", "Only in this language.", pattern=_VALUE),
    Parameter("year", "Only of this year.", pattern=_YEAR.pattern),
    Parameter("class", "Only of this class, or of one below it.", pattern=_NAME),
    Parameter("tree", "Only of this part of the tree.", pattern=_NAME),
    Parameter("person", "Only what names this person.", pattern=_NAME),
    Parameter("place", "Only what names this place.", pattern=_NAME),
    Parameter("org", "Only what names this organisation.", pattern=_NAME),
    Parameter("page", "Which page of results, from 1 on.", "integer"),
    Parameter("limit", f"Results on a page, {MOST_PER_PAGE} at most.", "integer"),
    Parameter("explain", "Whether to show the parts of each score.", "boolean"),
)
VIEWS = (
    View("/", search, "The search page.", parameters=_PARAMETERS, twin=False),
    View("/search", search, "Search the collection.", parameters=_PARAMETERS, data=SearchPage),
    View(
        "/open",
        open_result,
        "Count that a result was opened, and go to the page.",
        parameters=(Parameter("url", "A URL of the collection.", required=True, must_be="a URL"),),
        twin=False,
        leads_elsewhere=True,
    ),
)
