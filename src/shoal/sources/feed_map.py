"""How do feedparser's names become ours? One value for every dialect, its sizes bounded.

An item's page is its link; without one its guid, if that says it is permanent and is a URL; the
address before a feed proxy counts before both. Its text is the longest that it carries. Names are
taken as the library gives them, but not their types: an unknown element with attributes is a dict.
"""

import html
from calendar import timegm
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from shoal.model.listings.feed import Enclosure, Feed, Item
from shoal.model.urls.url import MAX_URL, resolve
from shoal.sources.feed_dates import iso_of, iso_utc
from shoal.sources.feed_html import one_line, title_of, with_whole_links
from shoal.sources.feed_whole import is_whole
from shoal.sources.feed_xml import Parsed

MAX_TITLE = 1_000
MAX_GUID = 4_000
MAX_AUTHOR = 300
MAX_TEXT = 1_000_000
MAX_ENCLOSURES = 50
MAX_HUBS = 10

_HTML = ("text/html", "application/xhtml+xml")
_MEDIA = ("image/", "audio/", "video/")
_WEB = ("http://", "https://", "ftp://")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_YEAR_SECONDS = 31_536_000
_PERIODS = {
    "hourly": 3600,
    "daily": 86_400,
    "weekly": 604_800,
    "monthly": 2_592_000,
    "yearly": _YEAR_SECONDS,
}


def feed_of(parsed: Parsed, url: str) -> Feed:
    source = parsed.feed
    hubs, self_url = _announced(source, url)
    language = _string(source, "language")[:40]
    return Feed(
        form=parsed.form,
        title=titled(source),
        url=web_url(_string(source, "link"), url),
        self_url=self_url,
        hubs=hubs,
        language=language,
        ttl_seconds=_ttl_seconds(source),
        skip_hours=sorted(set(_hours(_strings(source, "skip_hours")))),
        skip_days=sorted(set(_days(_strings(source, "skip_days")))),
        items=[_item(entry, source, url, language) for entry in parsed.entries],
        problem=parsed.problem,
    )


def _item(entry: dict[str, Any], source: dict[str, Any], url: str, language: str) -> Item:
    base = _string(entry, "xml_base") or url
    summary, texts = _summary(entry, base), _contents(entry, base)
    longest = max([*texts, summary], key=len)
    item = Item(
        guid=sound(_string(entry, "id"), MAX_GUID),
        url=_page(entry, url),
        title=titled(entry),
        published=_date(entry, "published") or _date(entry, "created"),
        updated=_date(entry, "updated"),
        author=sound(one_line(_string(entry, "author")), MAX_AUTHOR),
        summary=summary if _string(entry, "summary") not in _values(entry) else "",
        content=longest,
        enclosures=list(_enclosures(entry, base, url)),
        language=_language(entry, language),
        license=_license(entry, url) or _license(source, url),
    )
    item.is_whole = is_whole(item, has_content=longest in texts)
    return item


def _string(source: dict[str, Any], name: str) -> str:
    value = dict.get(source, name)  # the library's own `get` takes one date for another
    return value if isinstance(value, str) else ""


def _strings(source: dict[str, Any], name: str) -> list[str]:
    value = dict.get(source, name)
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _dicts(source: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = dict.get(source, name)
    value = [value] if isinstance(value, dict) else value
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def sound(text: str, limit: int) -> str:
    """Cut, and without what can't be written as UTF-8."""
    text = text[:limit]
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def titled(source: dict[str, Any]) -> str:
    title = _string(source, "title")
    kind = next((_string(each, "type") for each in _dicts(source, "title_detail")), "")
    text = title_of(title[: 10 * MAX_TITLE]) if kind in _HTML else one_line(title)
    return sound(text, MAX_TITLE)


def web_url(text: str, feed_url: str) -> str:
    """A URL as it was written, if it is one of the web; a local feed may name local files."""
    text = text.strip()
    if not text or len(text) > MAX_URL:
        return ""
    href = resolve(text)
    if href is None or not href.startswith(_WEB):
        is_local = feed_url.startswith("file:") and (href or "").startswith("file:")
        return href or "" if is_local else ""
    return sound(text, MAX_URL)


def _page(entry: dict[str, Any], feed_url: str) -> str:
    links = [(_string(link, "rel"), _string(link, "href")) for link in _dicts(entry, "links")]
    link = _string(entry, "link")
    is_other = link in [href for rel, href in links if rel != "alternate"]
    named = (
        _string(entry, "feedburner_origlink"),
        "" if is_other else link,
        *(href for rel, href in links if rel == "alternate"),
        _permanent(entry),
    )
    return next((url for url in (web_url(each, feed_url) for each in named) if url), "")


def _license(source: dict[str, Any], feed_url: str) -> str:
    links = (each for each in _dicts(source, "links") if _string(each, "rel") == "license")
    return next((url for each in links if (url := web_url(_string(each, "href"), feed_url))), "")


def _permanent(entry: dict[str, Any]) -> str:
    """A guid without a word about it counts as a link; but `12345` next to a feed is no page."""
    guid = _string(entry, "id")
    is_link = guid.lower().startswith(_WEB) or guid.startswith("/")
    return _string(entry, "guid_link") if is_link else ""


def _summary(entry: dict[str, Any], base: str) -> str:
    detail = next(iter(_dicts(entry, "summary_detail")), {})
    return _as_html(_string(entry, "summary"), detail, base)


def _contents(entry: dict[str, Any], base: str) -> list[str]:
    return [
        _as_html(_string(each, "value"), each, base)
        for each in _dicts(entry, "content")
        if not _string(each, "type").startswith(_MEDIA)
    ]


def _values(entry: dict[str, Any]) -> list[str]:
    """The texts of the contents: the library takes one for a summary where there is none."""
    return [_string(each, "value") for each in _dicts(entry, "content")]


def _as_html(text: str, detail: dict[str, Any], base: str) -> str:
    if _string(detail, "type") == "text/plain":
        return sound(html.escape(text[:MAX_TEXT], quote=False), MAX_TEXT)
    return sound(with_whole_links(text[:MAX_TEXT], _string(detail, "base") or base), MAX_TEXT)


def _date(entry: dict[str, Any], name: str) -> str:
    told = _string(entry, name)
    if told.isascii():
        return iso_utc(told)
    parts = dict.get(entry, f"{name}_parsed")  # Greek, Hungarian and Korean months
    try:
        return "" if parts is None else iso_of(datetime.fromtimestamp(timegm(parts), UTC))
    except (TypeError, ValueError, OverflowError, OSError):
        return ""


def _language(entry: dict[str, Any], of_feed: str) -> str:
    """That of its text; where languages are inherited, a text without one has said so."""
    details = [*_dicts(entry, "content"), *_dicts(entry, "summary_detail")]
    inherited = _string(entry, "xml_lang")
    if inherited or dict.get(entry, "has_root_lang"):
        return (_string(details[0], "language") if details else inherited)[:40]
    told = (_string(each, "language") for each in (*details, entry))
    return next(filter(None, told), of_feed)[:40]


def _enclosures(entry: dict[str, Any], base: str, feed_url: str) -> Iterator[Enclosure]:
    links = [each for each in _dicts(entry, "links") if _string(each, "rel") == "enclosure"]
    found: set[str] = set()
    for each in (*links, *_dicts(entry, "media_content")):
        named = _string(each, "href") or _string(each, "url")
        url = web_url(resolve(named, base or None) or "" if "://" not in named else named, feed_url)
        if not url or url in found or len(found) >= MAX_ENCLOSURES:
            continue
        found.add(url)
        length = _string(each, "length") or _string(each, "filesize")
        yield Enclosure(url, _string(each, "type")[:100], whole_number(length))


def whole_number(text: str) -> int:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else 0


def _announced(source: dict[str, Any], url: str) -> tuple[list[str], str]:
    """Hubs and its own address; an undeclared prefix leaves one link under another name."""
    names = ("links", "atom_link", "atom10_link")
    hubs: dict[str, None] = {}
    self_url = ""
    for link in (each for name in names for each in _dicts(source, name)):
        rels = _string(link, "rel").lower().split()
        href = web_url(_string(link, "href"), url)
        if href and "hub" in rels and len(hubs) < MAX_HUBS:
            hubs[href] = None
        if href and "self" in rels:
            self_url = self_url or href
    return list(hubs), self_url


def _ttl_seconds(source: dict[str, Any]) -> float:
    """In minutes by RSS; by the syndication module a period, and how often in it."""
    minutes = whole_number(_string(source, "ttl"))
    if minutes:
        return float(min(minutes * 60, _YEAR_SECONDS))
    period = _PERIODS.get(_string(source, "sy_updateperiod").strip().lower(), 0)
    return period / max(1, whole_number(_string(source, "sy_updatefrequency")))


def _hours(told: Iterable[str]) -> Iterator[int]:
    """Some count from 1 to 24."""
    for each in told:
        if each.strip().isascii() and each.strip().isdigit() and len(each.strip()) <= 2:
            hour = int(each)
            if hour <= 24:
                yield hour % 24


def _days(told: Iterable[str]) -> Iterator[int]:
    for each in told:
        name = each.strip().lower()[:3]
        if name in _DAYS:
            yield _DAYS.index(name)
