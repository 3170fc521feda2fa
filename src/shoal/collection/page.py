"""What is known of one stored page? Its row at hand, its text and its bytes a call away.

A page is read through whoever has it, which may be a tablet on another machine.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from shoal.clock import iso
from shoal.converters import encoding
from shoal.converters.sniff.sniff import file_name
from shoal.layout.index_state import fate_of
from shoal.model.content import content_text
from shoal.model.document import Document, Fate
from shoal.model.listings.sitemap_metadata import SitemapMetadata
from shoal.store.pages import StoredPage
from shoal.store.rows import VisitRow
from shoal.worker.conversion import Conversion
from shoal.worker.converting import Converter, convert

if TYPE_CHECKING:
    pass

_MOST_BYTES = 1 << 30
_MOST_RATIO = 10_000


class Holder(Protocol):
    """Whoever has a page: a collection, or the view of its tablet. Reads are for a principal."""

    def page(self, url: str, at: float | None = None) -> "Page | None": ...
    def holds(self, row: bytes) -> bool:
        """Whether searches find it."""
        ...

    def given_up_as(self, row: bytes) -> str:
        """`gone`, `redirect` or `excluded`; empty while it is there."""
        ...

    def history(self, url: str) -> list[tuple[float, VisitRow]]: ...
    def links(self, url: str) -> list[tuple[str, str]]: ...
    def anchors(self, url: str) -> list[tuple[str, str]]: ...
    def lead(self, url: str) -> str: ...
    def duplicates(self, url: str) -> list[str]: ...
    def marks(self, url: str) -> dict[str, str]: ...
    def told(self, url: str) -> list[SitemapMetadata]: ...
    def site_says(self, url: str) -> dict[str, str]:
        """What its site says about the use of a page."""
        ...

    def stored_text(self, row: bytes, when: float) -> str:
        """All of a version's text; empty where none is kept."""
        ...

    def stored_body(self, row: bytes, when: float) -> bytes:
        """Of a version, as the server sent it; empty where none is kept."""
        ...


@dataclass(frozen=True)
class Page:
    """One stored page, with what is known of it at hand and its bytes a call away."""

    collection: Holder
    stored: StoredPage

    @property
    def url(self) -> str:
        """Its address; of a document inside another one with its name behind a #."""
        return self.stored.url

    @property
    def fetched(self) -> str:
        """When this version was fetched, in ISO 8601."""
        return iso(self.stored.when)

    @property
    def title(self) -> str:
        """As the page says it; empty when it does not."""
        return self.stored.document.title

    @property
    def status(self) -> int:
        """Of the response that brought it; 0 where there was none, as of a file."""
        return self.stored.fetch.visit.status

    @property
    def document(self) -> Document:
        """All that its reader found out: language, charset, digests, rules of its owner …"""
        return self.stored.document

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Of the response, names in lower case, in their order."""
        return self.stored.fetch.headers

    @property
    def text(self) -> str:
        """Its content: without menus, advertisements, footers. All of it where that is nothing."""
        whole = self.whole_text
        return content_text(whole, self.document.line_scores) or whole

    @property
    def whole_text(self) -> str:
        """All of its text: menus, footers and all."""
        return self.collection.stored_text(self.stored.row, self.stored.when)

    @property
    def body(self) -> bytes:
        """The body as the server meant it: its content encoding undone."""
        sent = self.collection.stored_body(self.stored.row, self.stored.when)
        if not sent:
            return b""
        sent_as = next((v for k, v in self.headers if k == "content-encoding"), "")
        return encoding.undo(sent, sent_as, _MOST_BYTES, _MOST_RATIO).data

    @property
    def fate(self) -> str:
        """What became of it: `indexed`, `waiting for the index`, `duplicate` …; `gone`, `redirect`
        or `excluded` when the copy is all that is left of it."""
        row, holder = self.stored.row, self.collection
        return holder.given_up_as(row) or fate_of(self.document.fate, row, holder.holds)

    @property
    def duplicate_of(self) -> str:
        """The URL of the page that stands for it now; empty when it stands for itself."""
        if self.document.fate is not Fate.DUPLICATE:
            return ""
        lead = self.collection.lead(self.url)
        return lead if lead != self.url else self.document.duplicate_of

    @property
    def told(self) -> list[SitemapMetadata]:
        """What sitemaps say of it: pictures, videos, news, translations."""
        return self.collection.told(self.url)

    @property
    def ai_use(self) -> dict[str, str | bool]:
        """What its owner says about the use of it: with the page itself, in the site's robots.txt
        and tdmrep.json. Recorded, not obeyed."""
        signals = self.document.signals
        said: dict[str, str | bool] = {
            name: value for name in signals.__struct_fields__ if (value := getattr(signals, name))
        }
        return said | self.collection.site_says(self.url)

    def converted(self, converter: Converter | None = None) -> Conversion:
        """The stored response, read once more: with its tags, in any format. A `converter` that is
        kept open saves the start of a child process."""
        headers = dict(self.headers)
        found = (converter.convert if converter is not None else convert)(
            self.body,
            name=file_name(headers.get("content-disposition", "")),
            media_type=headers.get("content-type", ""),
            url=self.url.partition("#")[0],
        )
        name = self.document.name
        every = (found, *found.inside)
        return next((each for each in every if each.document.name == name), found)

    @property
    def html(self) -> str:
        """The cached copy: a rendition that keeps headings, lists, tables and links, and nothing
        that runs."""
        return self.converted().html

    def __repr__(self) -> str:
        return f"<Page {self.status} {self.url} {self.title!r} fetched {self.fetched}>"
