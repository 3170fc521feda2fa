"""What do a page's elements say about it, beside its text? Links, forms, meta elements, base.

Fed with the attributes of one element after another by the walk in html.py, in document order;
knows nothing of the parser. References are kept as written: they are resolved when the whole
page is known, because a `base` element holds for what stands before it, too.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from shoal.converters.limits import Limits
from shoal.converters.links import Hrefs
from shoal.model.link import Rel
from shoal.model.page import Form, FormField

Attributes = Mapping[str, str | None]

_REL_FLAGS = {
    "nofollow": int(Rel.NOFOLLOW),
    "ugc": int(Rel.UGC),
    "sponsored": int(Rel.SPONSORED),
}
_FOLLOWED = frozenset(
    {"canonical", "alternate", "next", "prev", "previous", "first", "last", "up", "start"}
    | {"contents", "toc", "index", "chapter", "section", "appendix", "glossary", "bookmark"}
    | {"help", "sitemap"}
)
"""Relations of a `link` element that lead to something to read; styles, icons, hints do not."""
_FEED_TYPES = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"}
)
_PAGE_TYPES = frozenset({"", "text/html", "application/xhtml+xml"})
_PUBLISHED = (
    *("article:published_time", "datepublished", "dcterms.issued", "dc.date.issued", "pubdate"),
    *("dcterms.created", "dc.date.created", "dcterms.date", "dc.date", "date"),
)
_MODIFIED = (
    *("article:modified_time", "og:updated_time", "datemodified", "dcterms.modified"),
    *("dc.date.modified", "last-modified", "last-updated", "last-update", "lastmod"),
)
"""Meta elements that say when a page was published and changed; the first that is there counts."""
_AUTHOR = ("author", "dcterms.creator", "dc.creator", "article:author", "parsely-author")
_MOST_AUTHOR_CHARS = 300
_LICENSE = "license"
_LICENSE_META = "dcterms.license"
_MOST_LICENSES = 20
"""As written: the same stands below each picture of some pages."""
_DATE = re.compile(
    r"[0-9]{4}-[01][0-9](?:-[0-3][0-9](?:[T ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9])?"
    r"(?:Z|[+-][0-2][0-9]:?[0-5][0-9])?)?)?",
    re.ASCII,
)
_LAST_MODIFIED = "last-modified"
_MOST_DATE_CHARS = 64
_SECONDS = re.compile(r"[0-9.]*")
_URL_IS = re.compile(r"\Aurl\s*=\s*", re.IGNORECASE)


def _iso_date(text: str) -> str:
    """Of a date in ISO 8601 or in HTTP's form; empty when it is neither."""
    if match := _DATE.match(text):
        return match[0].replace(" ", "T")
    try:
        when = parsedate_to_datetime(text[:_MOST_DATE_CHARS])
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def refresh_target(content: str) -> str:
    """The URL in `5; url=/next`, of a meta element or a Refresh header; empty when it reloads."""
    content = content.strip()
    rest = _SECONDS.sub("", content, count=1)
    if not rest or not (rest[0] in ";," or rest[0].isspace()):
        return ""
    rest = rest.lstrip()
    target = _URL_IS.sub("", rest[rest[0] in ";," :].lstrip(), count=1)
    if target[:1] in ("'", '"'):
        target = target[1:].partition(target[0])[0]
    return target.strip()


class Head:
    """Everything but the text, as it is found."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.hrefs = Hrefs(limits.links)
        self.meta: list[tuple[str, str]] = []
        self.forms: list[Form] = []
        self.title = ""
        self.language = ""
        self.description = ""
        self.base = ""
        self.canonical = ""
        self.refresh = ""
        self.licenses: list[str] = []
        self._form: Form | None = None

    def html(self, attributes: Attributes) -> None:
        language = attributes.get("lang") or attributes.get("xml:lang") or ""
        self.language = self.language or language.strip()[:35]

    def base_element(self, attributes: Attributes) -> None:
        self.base = self.base or (attributes.get("href") or "").strip()

    def anchor(self, href: str, text: str, rel: str | None) -> None:
        flags = 0
        if rel:
            for word in rel.lower().split():
                flags |= _REL_FLAGS.get(word, 0)
                if word == _LICENSE:
                    self._license(href)
        self.hrefs.add(href, text[: self._limits.anchor_chars], flags)

    def frame(self, attributes: Attributes) -> None:
        source = attributes.get("src")
        if source:
            self.hrefs.add(source, self._title_of(attributes), int(Rel.EMBED))

    def link(self, attributes: Attributes) -> None:
        href = attributes.get("href")
        relations = set((attributes.get("rel") or "").lower().split())
        if href and _LICENSE in relations:
            self._license(href)
        if not href or relations.isdisjoint(_FOLLOWED) or "stylesheet" in relations:
            return
        flags = 0
        if "canonical" in relations:
            self.canonical = self.canonical or href
            flags = Rel.CANONICAL
        elif "alternate" in relations:
            kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
            if kind in _FEED_TYPES:
                flags = Rel.FEED
            elif kind not in _PAGE_TYPES:
                return
        elif "sitemap" in relations:
            flags = Rel.SITEMAP
        self.hrefs.add(href, self._title_of(attributes), int(flags))

    def _license(self, href: str) -> None:
        """Under which terms the page stands, by its own word."""
        if len(self.licenses) < _MOST_LICENSES:
            self.licenses.append(href.strip())

    def _title_of(self, attributes: Attributes) -> str:
        return " ".join((attributes.get("title") or "").split())[: self._limits.anchor_chars]

    def meta_element(self, attributes: Attributes) -> None:
        content = (attributes.get("content") or "").strip()[: self._limits.value_chars]
        stands_for = (attributes.get("http-equiv") or "").strip().lower()
        if stands_for == "refresh":
            target = refresh_target(content)
            if target and not self.refresh:
                self.refresh = target
                self.hrefs.add(target, "", 0)
            return
        name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
        if not name and stands_for == _LAST_MODIFIED:
            name = stands_for
        if not name or not content or len(self.meta) >= self._limits.metas:
            return
        self.meta.append((name[:100], content))
        if name == _LICENSE_META:
            self._license(content)
        if name == "description" or (name == "og:description" and not self.description):
            self.description = " ".join(content.split())

    @property
    def author(self) -> str:
        """As a name; some pages have the address of a profile there."""
        said = dict(reversed(self.meta))  # the first of each name
        named = (" ".join(said[name].split()) for name in _AUTHOR if name in said)
        return next((who for who in named if "://" not in who), "")[:_MOST_AUTHOR_CHARS]

    @property
    def published(self) -> str:
        return self._date(_PUBLISHED)

    @property
    def modified(self) -> str:
        return self._date(_MODIFIED)

    def _date(self, names: Iterable[str]) -> str:
        """ISO 8601; empty where none is given that can be read."""
        said = dict(reversed(self.meta))  # the first of each name
        found = (_iso_date(said[name]) for name in names if name in said)
        return next(filter(None, found), "")

    def open_form(self, attributes: Attributes) -> None:
        if self._form is not None:
            return  # forms do not nest: the inner one's fields belong to the outer one
        method = (attributes.get("method") or "get").strip().lower()
        action = (attributes.get("action") or "").strip()[: self._limits.value_chars]
        self._form = Form(action, method if method in ("get", "post", "dialog") else "get", [])
        if len(self.forms) < self._limits.forms:
            self.forms.append(self._form)

    def close_form(self) -> None:
        self._form = None

    def field(self, attributes: Attributes, kind: str, options: Iterable[str] = ()) -> None:
        """A control of the form that is open; one outside of any form submits nothing."""
        form = self._form
        if form is None or len(form.fields) >= self._limits.fields:
            return
        name = (attributes.get("name") or "").strip()[: self._limits.value_chars]
        value = (attributes.get("value") or "")[: self._limits.value_chars]
        form.fields.append(FormField(name, kind[:20], value, list(options)))
