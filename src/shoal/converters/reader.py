"""What does one visit say? A fetched body becomes documents, links and rules: a child's whole work.

Runs in a child process, one visit at a time, and never raises on what a server sent. What a
redirect or a robots.txt means is settled here too, so that the main process never looks into a
body. The archive is not known here: `worker` puts the two together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shoal.clock import as_datetime
from shoal.converters import encoding
from shoal.converters.characters import language
from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted
from shoal.converters.html.ai_use import joined_header, licenses, signals
from shoal.converters.html.head import refresh_target
from shoal.converters.limits import DEFAULT_LIMITS, Limits
from shoal.converters.links import LinkMaker
from shoal.converters.opening import documents
from shoal.converters.registry import Registry
from shoal.converters.requisite_links import RequisiteLinks
from shoal.converters.sniff.sniff import (
    BINARY,
    declared_charset,
    file_name,
    looks_like_text,
    media_type,
)
from shoal.model.compression import zstd, zstd_stored
from shoal.model.content import content_text
from shoal.model.digest import content_digest, payload_digest, text_digest
from shoal.model.document import Document, Fate, Understood
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.outcome import Outcome
from shoal.model.record import changed, pack
from shoal.model.robots.page_rules import page_rules
from shoal.model.robots.robots import parse
from shoal.model.robots.site_signals import read_tdmrep
from shoal.model.urls.params import DEFAULT, ParamRules
from shoal.model.urls.url import seen_key
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.ports import Cleaner, Prioritizer, Scope

_LEAST_TEXT = 25
"""Characters: of a few words nobody knows the language."""
_LEAST_CONFIDENCE = 0.6
_HTML = ("text/html", "application/xhtml+xml")
_TYPE = "og:type"
_TYPE_CHARS = 60


Weigh = Callable[[str, str, Sequence[Link]], bytes]


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    scope: Scope
    prioritizer: Prioritizer
    product_token: str
    """The name that robots.txt and robots meta elements call us by."""
    params: ParamRules = DEFAULT
    limits: Limits = DEFAULT_LIMITS
    keep_blocks: bool = False
    """Whether the tagged text is wanted beside the plain one."""
    ocr: bool = False
    cleaner: Cleaner | None = None
    prints: Callable[[str], tuple[bytes, bytes]] | None = None
    """Makes the sketch and the marks of a text, for near-duplicates to be found by."""
    names: Callable[[str, str], list[tuple[str, str]]] | None = None
    """The marks of a text in a language: whom it names."""
    requisites: RequisiteLinks | None = None
    """Finds what pages need to look as they did, if that is wanted."""
    weigh: Weigh | None = None
    """Given a page's title, text and links it adds evidence of their worth to these, and answers
    how near the page is to what is looked for."""


class Reader:
    def __init__(self, settings: ReaderSettings, registry: Registry | None = None) -> None:
        self._settings = settings
        self._registry = Registry.installed() if registry is None else registry
        language.load()
        self._links = LinkMaker(settings.scope, settings.prioritizer, settings.params)

    def read(self, visit: Visit, fetched: Fetched) -> Understood:
        needed = self._settings.requisites
        if fetched.outcome is Outcome.REDIRECT:
            moved_to = self._redirect(visit, fetched)
            if needed is not None and visit.kind is VisitKind.REQUISITE:
                moved_to = needed.moved(moved_to)
            return Understood(links=moved_to)
        if fetched.outcome not in (Outcome.OK, Outcome.EMPTY_ANSWER):
            return Understood()
        body, problem = self._decoded(fetched)
        if visit.kind is VisitKind.ROBOTS:
            return Understood(robots=parse(body, self._settings.product_token))
        if visit.kind is VisitKind.TDMREP:
            return Understood(reservations=list(read_tdmrep(body)))
        if visit.kind is VisitKind.REQUISITE:
            of_style = needed.of_style(visit, fetched, body) if needed else []
            return Understood(requisites=of_style)
        context = self._context(visit, fetched, body, problem)
        # What is a person's own is compared with nothing, and compressed where it comes to rest.
        pack_text = zstd_stored if visit.readers else zstd
        pages, links, prints = list[Document](), list[Link](), list[tuple[bytes, bytes]]()
        about = b""
        for converted in documents(self._registry, body, context):
            content = content_text(converted.page.text, converted.page.line_scores)
            document = self._document(fetched, len(body), converted, pack_text)
            document.licenses = licenses(fetched, converted.page.licenses, visit.url)
            document.content_chars = len(content)
            document.content_digest = content_digest(content or converted.page.text)
            self._judge(document, converted, fetched)
            document.problem = "; ".join(filter(None, (problem, document.problem)))
            pages.append(document)
            if self._settings.prints is not None and not visit.readers:
                prints.append(self._settings.prints(content or converted.page.text))
            if self._settings.names is not None:
                named_in = content or converted.page.text if document.text else ""
                document.marks = self._settings.names(named_in, document.language)
            followed = _followed(converted.page.links, document)
            if self._settings.weigh is not None:
                said = self._settings.weigh(converted.page.title, converted.page.text, followed)
                about = said if not pages[1:] else about
            links.extend(followed)
        links.extend(self._refresh(visit, fetched, links))
        requisites = list[Link]()
        if needed is not None and visit.kind is VisitKind.PAGE and context.media_type in _HTML:
            html = decode(body[: self._settings.limits.html_bytes], context.charset, "html").text
            requisites = needed.of_page(html, visit.url)
        return Understood(pages, links, fingerprints=prints, requisites=requisites, about=about)

    def _context(self, visit: Visit, fetched: Fetched, body: bytes, problem: str) -> Context:
        content_type = fetched.header("content-type")
        context = Context(
            visit.url,
            declared_charset(content_type),
            self._links,
            self._settings.limits,
            member=file_name(fetched.header("content-disposition")),
            wants_blocks=self._settings.keep_blocks,
            wants_ocr=self._settings.ocr,
            cleaner=self._settings.cleaner,
        )
        kind = media_type(content_type, body, context.name) if body else ""
        if problem and not looks_like_text(body):
            kind = BINARY  # still wrapped in something: no page, whatever was declared
        return changed(context, media_type=kind)

    def _decoded(self, fetched: Fetched) -> encoding.Decoded:
        limits = self._settings.limits
        decoded = encoding.undo(
            fetched.body,
            joined_header(fetched, "content-encoding"),
            limits.decoded_bytes,
            limits.decoded_ratio,
        )
        if not fetched.cut:
            return decoded
        cut = f"the body was cut after {len(fetched.body)} bytes"
        return encoding.Decoded(decoded.data, "; ".join(filter(None, (cut, decoded.problem))))

    def _document(
        self,
        fetched: Fetched,
        decoded_bytes: int,
        converted: Converted,
        pack_text: Callable[[bytes], bytes],
    ) -> Document:
        page = converted.page
        text = page.text.encode("utf-8", "replace")
        is_own = not converted.name  # a member's digest would be that of all others, too
        spoken, spoken_from = page.language, "declared" if page.language else ""
        if not spoken and len(page.text) >= _LEAST_TEXT:
            guess = language.detect(page.text)
            if guess.confidence >= _LEAST_CONFIDENCE:
                spoken, spoken_from = guess.code, "detector"
        return Document(
            # Behind a mark that no fetched URL has: a member's row is never another page's.
            name="#" + converted.name.removeprefix("#") if converted.name else "",
            media_type=converted.media_type,
            title=page.title,
            language=spoken,
            language_from=spoken_from,
            charset=page.charset,
            charset_from=page.charset_from,
            description=page.description,
            canonical=page.canonical,
            text=pack_text(text) if text else b"",
            text_chars=len(page.text),
            body_bytes=len(fetched.body) if is_own else 0,
            decoded_bytes=decoded_bytes if is_own else converted.bytes,
            body_digest=payload_digest(fetched.body) if is_own else "",
            text_digest=text_digest(text),
            problem=converted.problem,
            forms=page.forms,
            author=page.author,
            published=page.published,
            modified=page.modified,
            keywords=page.keywords,
            blocks=zstd(pack(page.blocks)) if self._settings.keep_blocks else b"",
            line_scores=page.line_scores,
            cleaned_by=page.cleaned_by,
            headings=page.headings,
            bold=page.bold,
            fields=converted.fields,
            page_type=next((to[:_TYPE_CHARS] for name, to in converted.meta if name == _TYPE), ""),
        )

    def _judge(self, document: Document, converted: Converted, fetched: Fetched) -> None:
        """The page's own rules, what its owner says of AI, and the fate that follows."""
        document.rules = page_rules(
            [value for name, value in fetched.headers if name == "x-robots-tag"],
            converted.meta,
            self._settings.product_token,
            as_datetime(fetched.ended),
        )
        document.signals = signals(fetched, converted.meta, document.rules)
        if document.problem and not document.text:
            document.fate = Fate.UNCONVERTIBLE
        elif document.rules.noindex:
            document.fate = Fate.NOINDEX
        elif not document.text:
            document.fate = Fate.EMPTY
        elif reason := self._settings.scope.drops(document):
            document.fate, document.problem = Fate.DROPPED, reason
            document.text, document.text_chars = b"", 0

    def _redirect(self, visit: Visit, fetched: Fetched) -> list[Link]:
        """Where a Location leads (RFC 9110, 10.2.2). Also to the page's own twin with a slash."""
        # Header values are octets shown as latin-1; a URL that is not ASCII is meant as UTF-8.
        location = fetched.header("location").encode("latin-1", "replace")
        url = self._links.url(location, visit.url) if location else ""
        if not url or url == visit.url:
            return []
        return [self._links.link(url, LinkSource.REDIRECT, int(Rel.REDIRECT))]

    def _refresh(self, visit: Visit, fetched: Fetched, known: list[Link]) -> list[Link]:
        """A Refresh header is a meta refresh that stands in the head of the response."""
        target = refresh_target(fetched.header("refresh")[:4096])
        url = self._links.url(target.encode("latin-1", "replace"), visit.url) if target else ""
        keys = {seen_key(link.url) for link in known} if url else set()
        if not url or seen_key(url) in keys or seen_key(url) == seen_key(visit.url):
            return []
        return [self._links.link(url, LinkSource.LINK)]


def _followed(links: list[Link], document: Document) -> list[Link]:
    if document.rules.nofollow:
        for link in links:
            link.rel |= int(Rel.NOFOLLOW)
    return links
