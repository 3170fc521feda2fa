"""What is known of a page? Why it was taken, its visits and versions, who links to it, what it is a
duplicate of, and how two versions, or two pages, differ.

Whoever may not read a page is told what is told of one that nobody has seen. What can be long
(links, visits, differences) is shown in parts.
"""

from collections.abc import Iterator
from itertools import islice

from shoal.analysis.near_duplicates import compare
from shoal.collection.collection import Collection
from shoal.collection.export.lines import VisitLine, visit_lines
from shoal.collection.page import Page
from shoal.collection.report.explain import Explanation
from shoal.collection.report.marks_told import mark_facts
from shoal.collection.report.sitemap_metadata import metadata_facts
from shoal.errors import UsageError
from shoal.model.listings.sitemap_metadata import SitemapMetadata
from shoal.model.record import Struct
from shoal.web.server.http import Request, Response
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, Problem, View, number, text
from shoal.web.views.copies import Version, moment_of, stored, versions

PER_PAGE = 50
_MOST_PAGES = 1000
_MOST_DUPLICATES = 50
_MOST_MARKS = 64
_MOST_HUNKS = 200
_MOST_LINE_PIECES = 400
_MOST_PIECE_CHARS = 2000


class Fact(Struct):
    name: str
    value: str


class LinkLine(Struct):
    url: str
    text: str


class LinkPage(Struct):
    """Some of the links of a page, or to it."""

    links: list[LinkLine]
    page: int
    has_more: bool


class PageView(Struct):
    url: str
    title: str
    is_stored: bool
    has_copy: bool
    explanation: Explanation
    teaches: bool
    """Whether who asks may say yes or no of it, for a topic."""
    facts: list[Fact]
    rank: float
    visits: list[VisitLine]
    versions: list[Version]
    links: LinkPage
    anchors: LinkPage
    duplicates: list[str]
    rules: list[Fact]
    marks: list[str]
    told: list[SitemapMetadata]
    """By sitemaps, which say what the page shows, and where it stands in other languages."""
    headers: list[tuple[str, str]]


class Piece(Struct):
    kind: str
    """`same`, `only_a` or `only_b`."""
    text: str


class DifferenceView(Struct):
    url: str
    other: str
    fetched_a: str
    fetched_b: str
    share_changed: float
    resemblance: float
    hunks: list[list[list[Piece]]]
    """Stretches of lines of pieces."""
    left_out: int
    cut: str


def page(site: Site, request: Request) -> Response:
    asked = text(request, "url").strip()
    if not asked:
        raise Problem(400, "Say which page: ?url=…")
    with site.reading() as collection:
        data = _page_view(collection, request, asked)
    return site.answer(request, "page.html", data)


def difference(site: Site, request: Request) -> Response:
    """Of two versions of a page, or of two pages."""
    url, other = text(request, "url").strip(), text(request, "other").strip()
    with site.reading() as collection:
        a = stored(collection, url, moment_of(text(request, "a", 40)))
        b = stored(collection, other or url, moment_of(text(request, "b", 40)))
        for each in (a, b):
            if each.document.rules.noarchive:
                raise Problem(403, "This page asks that no copy of it is shown (noarchive).")
        data = _difference_view(a, b)
    return site.answer(request, "difference.html", data)


def _page_view(collection: Collection, request: Request, asked: str) -> PageView:
    try:
        found = collection.page(asked)
        if found is None and not collection.sees_everything():
            raise Problem(404, "This page is not in the collection.")
        explanation = _explanation(collection, asked)
    except UsageError:
        raise Problem(400, "This is no URL.") from None
    url = explanation.url
    return PageView(
        url=url,
        title=found.title if found is not None else "",
        is_stored=found is not None,
        has_copy=found is not None and not found.document.rules.noarchive,
        explanation=explanation,
        teaches=collection.sees_everything(),
        facts=[] if found is None else list(_facts(found)),
        rank=collection.rank(asked),
        visits=visit_lines(collection, asked),
        versions=[] if found is None else versions(collection, found),
        links=_some(iter(collection.links(asked)), number(request, "links", 1, 1, _MOST_PAGES)),
        anchors=_some(collection.each_anchor(asked), number(request, "anchors", 1, 1, _MOST_PAGES)),
        duplicates=[] if found is None else list(_duplicates(collection, asked)),
        rules=[] if found is None else list(_rules(found)),
        marks=[] if found is None else list(_marks(collection, asked)),
        told=[] if found is None else found.told,
        headers=[] if found is None else found.headers,
    )


def _explanation(collection: Collection, asked: str) -> Explanation:
    """The story names the page that led here and others; only the owner may know all of them."""
    found = collection.explain(asked)
    if not collection.sees_everything():
        found.lines = []
    return found


def _duplicates(collection: Collection, asked: str) -> Iterator[str]:
    for url in islice(collection.duplicates(asked), _MOST_DUPLICATES):
        if collection.page(url) is not None:
            yield url


def _readable(found: Page, url: str) -> str:
    return url if url and found.collection.page(url) is not None else ""


def _facts(found: Page) -> Iterator[Fact]:
    document = found.document
    share = document.content_chars / document.text_chars if document.text_chars else 0.0
    said = {
        "Fetched": found.fetched,
        "Status": str(found.status),
        "Type": document.media_type,
        "Language": document.language
        + (" (detected)" if document.language_from == "detector" else ""),
        "Author": document.author,
        "Published": document.published,
        "Changed": document.modified,
        "Description": document.description,
        "Keywords": document.keywords,
        "Canonical address": document.canonical if document.canonical != found.url else "",
        "Size": f"{document.decoded_bytes:,} bytes",
        "Text": f"{document.text_chars:,} characters"
        + (f", {share:.0%} of them content" if document.cleaned_by and document.text_chars else ""),
        "Charset": f"{document.charset} (by {document.charset_from})" if document.charset else "",
        "What became of it": found.fate,
        "Problem": document.problem,
        "Duplicate of": _readable(found, found.duplicate_of),
        "Same text as": _readable(found, document.same_text_as),
        "Readers": ", ".join(document.readers),
        "Digest": document.body_digest,
    }
    yield from (Fact(name, value) for name, value in said.items() if value)
    for name, value in metadata_facts(found.told):
        yield Fact(f"{name.capitalize()}, by its sitemap", value)


def _rules(found: Page) -> Iterator[Fact]:
    """What its owner asks for: the robots rules of the page, and what is said of AI use."""
    for values in (found.document.rules, found.document.signals):
        for name in values.__struct_fields__:
            value = getattr(values, name)
            if value not in (False, None, ""):
                yield Fact(name.replace("_", "-"), "yes" if value is True else str(value))


def _marks(collection: Collection, asked: str) -> Iterator[str]:
    for name, value in islice(mark_facts(collection.marks(asked)), _MOST_MARKS):
        yield f"{name}={value}"


def _some(pairs: Iterator[tuple[str, str]], page: int) -> LinkPage:
    start = (page - 1) * PER_PAGE
    some = list(islice(pairs, start, start + PER_PAGE + 1))
    lines = [LinkLine(url, said) for url, said in some[:PER_PAGE]]
    return LinkPage(lines, page, len(some) > PER_PAGE)


def _difference_view(a: Page, b: Page) -> DifferenceView:
    found = compare(a, b)
    hunks = found.difference.hunks()
    shown = [
        [
            [Piece(each.kind, each.text[:_MOST_PIECE_CHARS]) for each in line[:_MOST_LINE_PIECES]]
            for line in hunk
        ]
        for hunk in islice(hunks, _MOST_HUNKS)
    ]
    return DifferenceView(
        url=a.url,
        other=b.url,
        fetched_a=a.fetched,
        fetched_b=b.fetched,
        share_changed=found.difference.share_changed,
        resemblance=found.resemblance,
        hunks=shown,
        left_out=sum(1 for _ in hunks),
        cut=found.difference.cut,
    )


VIEWS = (
    View(
        "/page",
        page,
        "What is known of a URL.",
        parameters=(
            Parameter("url", "Any URL.", required=True, must_be="a URL"),
            Parameter("links", "Which page of its links.", "integer"),
            Parameter("anchors", "Which page of the links to it.", "integer"),
        ),
        data=PageView,
    ),
    View(
        "/difference",
        difference,
        "How two versions of a page, or two pages, differ.",
        parameters=(
            Parameter("url", "A URL of the collection.", required=True, must_be="a URL"),
            Parameter("other", "Another one to compare with; else the same.", must_be="a URL"),
            Parameter(
                "a",
                "Which version of the first: unix seconds or an ISO time.",
                must_be="a time",
            ),
            Parameter("b", "Which version of the second.", must_be="a time"),
        ),
        data=DifferenceView,
    ),
)
