"""What does a sitemap say of a page? The elements of sitemaps.org, and of Google's extensions.

An entry is made of whatever stands between two `<url>`; a file that forgets them is read as well:
then each `<loc>` begins one. Elements are told apart by the name space of their prefix, since a
picture has a `<loc>` too. Feeds are read as sitemaps.org says: their links, and when they changed.
"""

from datetime import UTC
from email.utils import parsedate_to_datetime

from shoal.model.listings.listing import DEFAULT_PRIORITY
from shoal.model.listings.sitemap_metadata import Alternate, Image, News, Video
from shoal.model.record import Struct
from shoal.sources.sitemap_xml import Tag, attributes

FREQUENCIES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")
MAX_PARTS = 1_000
"""Pictures, videos or translations of one page; the first is Google's own limit."""

_MAX_DATE_CHARS = 40
_MAX_TITLE_CHARS = 1_000
_MAX_PREFIXES = 50
_NEWS = {
    "title": "title",
    "publication_date": "date",
    "name": "publication",
    "language": "language",
}
_FEED_DATES = ("updated", "modified", "date", "pubDate", "published")
_SPACES = {
    "image": "sitemap-image/",
    "video": "sitemap-video/",
    "news": "sitemap-news/",
    "xhtml": "www.w3.org/1999/xhtml",
}
"""Each extension by what is typical of its name space; its usual prefix does as well."""


class Entry(Struct):
    url: str = ""
    """As written, character references undone."""
    last_modified: str = ""
    """A W3C date, as written: see w3c_date.py."""
    change_frequency: str = ""
    """`always` to `never`; empty: not told, or no word of the protocol."""
    priority: float = DEFAULT_PRIORITY
    images: list[Image] = []
    videos: list[Video] = []
    news: News | None = None
    alternates: list[Alternate] = []


class SitemapEntries:
    """Of a `<urlset>` or a `<sitemapindex>`, tag by tag."""

    def __init__(self, root: Tag) -> None:
        self._entry = Entry()
        self._own_prefix = root.name.rpartition(":")[0]
        self._spaces = {**{name: name for name in _SPACES}, self._own_prefix: ""}
        self._learn(root)

    def take(self, tag: Tag) -> Entry | None:
        """The entry that ends with this tag."""
        if "xmlns" in tag.raw:
            self._learn(tag)
        prefix, _, name = tag.name.rpartition(":")
        space = self._spaces.get(prefix)
        if space == "":
            return self._take_own(name, tag)
        if space == "xhtml":
            if name == "link" and not tag.is_end:
                self._take_alternate(attributes(tag.raw))
        elif space is not None and tag.text:
            self._take_extension(space, name, tag.text)
        return None

    def finish(self) -> Entry | None:
        ended, self._entry = self._entry, Entry()
        return ended if ended.url else None

    def _learn(self, tag: Tag) -> None:
        """Which prefixes the extensions have in this file."""
        for name, value in attributes(tag.raw).items():
            prefix = name.removeprefix("xmlns:")
            if prefix not in (name, self._own_prefix) and len(self._spaces) < _MAX_PREFIXES:
                known = (space for space, mark in _SPACES.items() if mark in value)
                self._spaces[prefix] = next(known, self._spaces.get(prefix, "other"))

    def _take_own(self, name: str, tag: Tag) -> Entry | None:
        if name in ("url", "sitemap"):
            return self.finish()
        if not tag.is_end:
            return None
        ended = None
        if name == "loc":
            ended = self.finish() if self._entry.url else None
            self._entry.url = tag.text
        elif name == "lastmod":
            self._entry.last_modified = tag.text[:_MAX_DATE_CHARS]
        elif name == "changefreq":
            word = tag.text.lower()
            self._entry.change_frequency = word if word in FREQUENCIES else ""
        elif name == "priority":
            self._entry.priority = _priority(tag.text)
        return ended

    def _take_alternate(self, given: dict[str, str]) -> None:
        language, url = given.get("hreflang", ""), given.get("href", "")
        if url and len(self._entry.alternates) < MAX_PARTS:
            self._entry.alternates.append(Alternate(language[:_MAX_DATE_CHARS], url))

    def _take_extension(self, space: str, name: str, text: str) -> None:
        entry = self._entry
        if space == "image":
            self._take_image(name, text)
        elif space == "video":
            self._take_video(name, text)
        elif name in _NEWS:
            entry.news = entry.news or News()
            setattr(entry.news, _NEWS[name], text[:_MAX_TITLE_CHARS])

    def _take_image(self, name: str, text: str) -> None:
        """Its address comes first, by the extension's schema."""
        images = self._entry.images
        if name == "loc" and len(images) < MAX_PARTS:
            images.append(Image(text))
        elif name in ("title", "caption") and images:
            images[-1].title = images[-1].title or text[:_MAX_TITLE_CHARS]

    def _take_video(self, name: str, text: str) -> None:
        """Its thumbnail comes first, by the extension's schema: with it a video begins."""
        videos = self._entry.videos
        if name == "thumbnail_loc" and len(videos) < MAX_PARTS:
            videos.append(Video(thumbnail=text))
        elif not videos:
            return
        elif name == "title":
            videos[-1].title = text[:_MAX_TITLE_CHARS]
        elif name == "content_loc" or (name == "player_loc" and not videos[-1].url):
            videos[-1].url = text


class FeedEntries:
    """Of RSS, RDF or Atom: the links of its items, and its own."""

    def __init__(self) -> None:
        self._entry = Entry()

    def take(self, tag: Tag) -> Entry | None:
        name = tag.name.rpartition(":")[2]
        if name in ("item", "entry"):
            return self.finish()
        ended = None
        if name == "link":
            if url := _feed_link(tag):
                ended = self.finish() if self._entry.url else None
                self._entry.url = url
        elif name in _FEED_DATES and tag.is_end:
            self._entry.last_modified = self._entry.last_modified or _feed_date(name, tag.text)
        return ended

    def finish(self) -> Entry | None:
        ended, self._entry = self._entry, Entry()
        return ended if ended.url else None


def _feed_link(tag: Tag) -> str:
    if tag.is_end:
        return tag.text
    given = attributes(tag.raw)
    is_page = given.get("rel", "alternate").lower() == "alternate"
    return given.get("href", "") if is_page else ""


def _feed_date(name: str, text: str) -> str:
    if name != "pubDate":
        return text[:_MAX_DATE_CHARS]
    try:
        moment = parsedate_to_datetime(text[:_MAX_DATE_CHARS])
        if moment.tzinfo is None:  # "-0000": the zone is not known
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).isoformat()
    except (ValueError, OverflowError, IndexError, TypeError):
        return ""


def _priority(text: str) -> float:
    try:
        value = float(text[:_MAX_DATE_CHARS])
    except ValueError:
        return DEFAULT_PRIORITY
    return value if 0 <= value <= 1 else DEFAULT_PRIORITY
