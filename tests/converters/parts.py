"""Parts for the tests of this room: a scope, a prioritizer, and short ways to make things."""

from shoal.converters.context import Context, Converted
from shoal.converters.html.html import convert
from shoal.converters.limits import Limits
from shoal.converters.links import LinkMaker
from shoal.converters.reader import Reader, ReaderSettings
from shoal.converters.registry import Registry
from shoal.model.document import Document
from shoal.model.link import LinkSource
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import row_key
from shoal.model.visit import Fetched, Visit, VisitKind

URL = "https://reef.example/fish/index.html"


class WordScope:
    """Refuses URLs with 'secret' in them, drops documents titled 'Off topic'."""

    def refuses(self, url: str) -> str:
        return "a rule against secrets" if "secret" in url else ""

    def drops(self, document: Document) -> str:
        return "not about fish" if document.title == "Off topic" else ""


class LengthPrioritizer:
    """Longer anchor texts are worth more: shows which text was weighed."""

    def priority(self, url: str, source: LinkSource, anchor_text: str) -> float:
        return 1.0 if source is LinkSource.REDIRECT else min(1.0, len(anchor_text) / 100)


def link_maker() -> LinkMaker:
    return LinkMaker(WordScope(), LengthPrioritizer())


def context(url: str = URL, charset: str = "utf-8", limits: Limits | None = None) -> Context:
    return Context(url, charset, link_maker(), limits or Limits())


def converted(html: str, url: str = URL, limits: Limits | None = None) -> Converted:
    (result,) = convert(html.encode(), context(url, limits=limits))
    return result


def reader(limits: Limits | None = None) -> Reader:
    settings = ReaderSettings(
        WordScope(), LengthPrioritizer(), "shoalbot", limits=limits or Limits()
    )
    return Reader(settings, Registry())


def visit(url: str = URL, kind: VisitKind = VisitKind.PAGE) -> Visit:
    return Visit(url, row_key(url), b"site", kind)


def page(body: bytes, *headers: tuple[str, str], outcome: Outcome = Outcome.OK) -> Fetched:
    status = 200 if outcome is Outcome.OK else 404
    typed = [*headers] if headers else [("content-type", "text/html; charset=utf-8")]
    return Fetched(outcome, status, 1.7e9, 1.7e9 + 1, headers=typed, body=body)
