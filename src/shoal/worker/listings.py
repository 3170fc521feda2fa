"""What does a sitemap or a feed name? Its entries become settled links, in a child.

Neither is a document: what it names goes to the frontier, a feed's items to whoever takes whole
articles. A sitemap speaks for its own host and for others of the same registered domain
(sitemaps.org, "location"); what it says of others is left out and counted. A feed may point
anywhere, like a page.
"""

from collections.abc import Iterator

from shoal.converters import encoding
from shoal.converters.html.ai_use import joined_header
from shoal.converters.limits import Limits
from shoal.converters.links import LinkMaker
from shoal.model.document import Understood
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.listings.feed import Item
from shoal.model.listings.listing import ListedUrl
from shoal.model.listings.sitemap_metadata import SitemapMetadata, metadata_of
from shoal.model.outcome import Outcome
from shoal.model.record import changed
from shoal.model.urls.spelling import seen_row
from shoal.model.urls.url import registered_domain, seen_key, site_of
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.sources.sitemap import MAX_BYTES, MAX_ENTRIES, Entry, Form, SitemapReader, chunks_of
from shoal.sources.w3c_date import when

KINDS = (VisitKind.SITEMAP, VisitKind.FEED)
CHANGE_SECONDS = {
    "always": 60.0,
    "hourly": 3_600.0,
    "daily": 86_400.0,
    "weekly": 604_800.0,
    "monthly": 2_629_800.0,
    "yearly": 31_557_600.0,
    "never": 315_576_000.0,
}
"""What the protocol's words mean, about. An archived page is said to change in ten years."""
_WEB = ("http://", "https://")
_MAX_TEXT = 200
_MOST_METADATA_CHARS = 16_000_000


def name(visit: Visit, fetched: Fetched, links: LinkMaker, limits: Limits) -> Understood:
    """All that a sitemap or a feed names; nothing when the answer was no whole one."""
    if fetched.outcome is not Outcome.OK:
        return Understood()
    most_bytes = max(limits.decoded_bytes, MAX_BYTES)
    sent_as = joined_header(fetched, "content-encoding")
    body, problem = encoding.undo(fetched.body, sent_as, most_bytes, limits.decoded_ratio)
    if visit.kind is VisitKind.SITEMAP:
        found = list_sitemap(body, visit, links)
    else:
        found = list_feed(body, visit, links, fetched)
    if fetched.cut:
        problem = problem or f"the body was cut after {len(fetched.body)} bytes"
    return changed(found, problem="; ".join(filter(None, (problem, found.problem))))


def list_sitemap(body: bytes, visit: Visit, links: LinkMaker) -> Understood:
    """The pages that it names; of an index, the sitemaps below it."""
    reader, settler, ear = SitemapReader(), _UrlSettler(visit.url, links), _Ear(visit.url)
    named, below = list[ListedUrl](), list[Link]()
    for entry in reader.entries(chunks_of(body)):
        url = settler.url(entry.url)
        if not url or not settler.is_near(url):
            continue
        if reader.form is Form.INDEX:
            below.append(links.link(url, LinkSource.SITEMAP, int(Rel.SITEMAP)))
        else:
            metadata = ear.listen(entry)
            named.append(_listed(entry, settler.link(url, LinkSource.SITEMAP), metadata))
    left_out = settler.left_out
    for alternate in ear.alternates:  # behind the entries: one of them may be an entry, too
        if (url := settler.url(alternate)) and settler.is_near(url):
            named.append(ListedUrl(settler.link(url, LinkSource.SITEMAP)))
    problem = "; ".join(filter(None, (reader.problem, ear.problem)))
    return Understood(listed=named, below=below, left_out=left_out, problem=problem)


def list_feed(body: bytes, visit: Visit, links: LinkMaker, fetched: Fetched) -> Understood:
    """The feed itself, the pages of its items, and their enclosures as further links. The items'
    URLs are canonical afterwards: an item and what is named by it have the same."""
    from shoal.sources.feed import links_of_header, read_feed  # noqa: PLC0415 - few need it

    feed = read_feed(body, visit.url, fetched.header("content-type"))
    metadata = [value for key, value in fetched.headers if key == "link"]
    hubs, own = links_of_header(metadata, visit.url)
    feed.hubs = list(dict.fromkeys([*hubs, *feed.hubs]))
    feed.self_url = own or feed.self_url
    named, settler = list[ListedUrl](), _UrlSettler(visit.url, links)
    for item in feed.items:
        item.url = links.url(item.url, visit.url) if item.url else ""
        if url := settler.url(item.url):
            link = settler.link(url, LinkSource.FEED, _text(item))
            named.append(ListedUrl(link, when(item.updated or item.published)))
    enclosures = list(_enclosures(feed.items, settler))
    return Understood(links=enclosures, listed=named, feed=feed, problem=feed.problem)


def _enclosures(items: list[Item], settler: "_UrlSettler") -> Iterator[Link]:
    for item in items:
        for enclosure in item.enclosures:
            if url := settler.url(enclosure.url):
                yield settler.link(url, LinkSource.FEED, _text(item))


def _text(item: Item) -> str:
    return " ".join(item.title.split())[:_MAX_TEXT]


def _listed(entry: Entry, link: Link, metadata: SitemapMetadata | None) -> ListedUrl:
    changes_after = CHANGE_SECONDS.get(entry.change_frequency, 0.0)
    return ListedUrl(link, when(entry.last_modified), changes_after, entry.priority, metadata)


class _Ear:
    """Takes down what a sitemap says of its pages, up to so much in all."""

    def __init__(self, sitemap: str) -> None:
        self._sitemap = sitemap
        self._chars = 0
        self.alternates: dict[str, None] = {}
        """Translations of its pages, which are pages as well: each once, in order."""
        self.problem = ""

    def listen(self, entry: Entry) -> SitemapMetadata | None:
        metadata = metadata_of(self._sitemap, entry)
        if metadata is None:
            return None
        self._chars += metadata.chars
        if self._chars > _MOST_METADATA_CHARS:
            self.problem = (
                f"of what it says of its pages, {_MOST_METADATA_CHARS:,} characters are kept"
            )
            return None
        for each in metadata.alternates:
            if len(self.alternates) < MAX_ENTRIES:
                self.alternates[each.url] = None
        return metadata


class _UrlSettler:
    """Settles the URLs of one file: each once, and none that is the file itself."""

    def __init__(self, own_url: str, links: LinkMaker) -> None:
        self._own_url = own_url
        self._links = links
        self._seen = {seen_key(own_url)}
        self._own_host = site_of(own_url).host
        self._near = {self._own_host: True}
        self.left_out = 0

    def url(self, raw: str) -> str:
        """Canonical; empty when it is no page of the web, or was named before."""
        url = self._links.url(raw, self._own_url) if raw else ""
        if not url.startswith(_WEB):
            return ""
        key = seen_key(url)
        if key in self._seen:
            return ""
        self._seen.add(key)
        return url

    def link(self, url: str, source: LinkSource, text: str = "") -> Link:
        link = self._links.link(url, source, text=text)
        key = seen_row(link.row)
        if key != link.row:
            link.seen = key
        return link

    def is_near(self, url: str) -> bool:
        """Whether the sitemap's owner can speak for the URL; who can't is counted."""
        host = site_of(url).host
        near = self._near.get(host)
        if near is None:
            near = registered_domain(host) == registered_domain(self._own_host)
            self._near[host] = near
        self.left_out += not near
        return near
