"""What does a JSON Feed say? (jsonfeed.org, versions 1 and 1.1)

Read by hand: a value of the wrong type is left out, a number that should be a word is taken for
one. Of a feed that was cut or damaged each item that is whole is read.
"""

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from shoal.model.listings.feed import Enclosure, Feed, Item
from shoal.model.urls.url import resolve
from shoal.sources.feed_dates import iso_utc
from shoal.sources.feed_html import one_line, with_whole_links
from shoal.sources.feed_map import (
    MAX_AUTHOR,
    MAX_ENCLOSURES,
    MAX_GUID,
    MAX_HUBS,
    MAX_TEXT,
    MAX_TITLE,
    sound,
    web_url,
)
from shoal.sources.feed_whole import is_whole
from shoal.sources.feed_xml import MAX_ITEMS

_VERSION = re.compile(r"https?://(?:www\.)?jsonfeed\.org/version/(\d)(?:\.(\d))?/?")
_ITEMS = re.compile(r'"items"\s{0,99}:\s{0,99}\[')
_BETWEEN = re.compile(r"[\s,]*")
_MAX_BYTES_EACH = 1 << 50


def read_json(text: str, url: str) -> Feed:
    """Never raises; without a `form` when it is something else in JSON."""
    try:
        value, problem = json.loads(text), ""  # unlike msgspec it takes half a surrogate pair
    except (ValueError, RecursionError):
        value, problem = _salvaged(text), "not well-formed: its JSON is damaged or cut"
    entries = value.get("items")
    entries = entries if isinstance(entries, list) else []
    form = _form(value)
    if not form:
        return Feed(problem="it is no feed")
    if len(entries) > MAX_ITEMS:
        problem = problem or f"more than {MAX_ITEMS:,} items; the rest is left out"
    language = _word(value, "language")[:40]
    found = (each for each in entries[:MAX_ITEMS] if isinstance(each, dict))
    hubs = (each for each in _list(value, "hubs") if isinstance(each, dict))
    return Feed(
        form=form,
        title=sound(one_line(_word(value, "title")), MAX_TITLE),
        url=_url(value, "home_page_url", url),
        self_url=_url(value, "feed_url", url),
        hubs=list(filter(None, (_url(each, "url", url) for each in hubs)))[:MAX_HUBS],
        language=language,
        items=[_item(each, url, language) for each in found],
        problem=problem,
    )


def _form(value: dict[str, Any]) -> str:
    version = _VERSION.match(_word(value, "version"))
    return f"json{version[1]}{version[2] or 0}" if version and "items" in value else ""


def _item(entry: dict[str, Any], url: str, language: str) -> Item:
    page = _url(entry, "url", url)
    base = page or url
    content = with_whole_links(_word(entry, "content_html")[:MAX_TEXT], base)
    text, summary = _as_html(_word(entry, "content_text")), _as_html(_word(entry, "summary"))
    authors = [each for each in _list(entry, "authors") if isinstance(each, dict)]
    first = entry.get("author") if isinstance(entry.get("author"), dict) else {}
    names = [_word(each, "name") for each in authors] or [_word(first or {}, "name")]
    item = Item(
        guid=sound(_word(entry, "id"), MAX_GUID),
        url=page or _url({"url": _permanent(entry)}, "url", url),
        title=sound(one_line(_word(entry, "title")), MAX_TITLE),
        published=iso_utc(_word(entry, "date_published")),
        updated=iso_utc(_word(entry, "date_modified")),
        author=sound(", ".join(filter(None, names)), MAX_AUTHOR),
        summary=sound(summary, MAX_TEXT),
        content=sound(content or text or summary, MAX_TEXT),
        enclosures=list(_enclosures(entry, url)),
        language=_word(entry, "language")[:40] or language,
    )
    item.is_whole = is_whole(item, has_content=bool(content or text))
    return item


def _permanent(entry: dict[str, Any]) -> str:
    """ "Ideally, the id is the full URL of the resource described by the item"."""
    guid = _word(entry, "id")
    return guid if guid.startswith(("http://", "https://")) else _word(entry, "external_url")


def _enclosures(entry: dict[str, Any], url: str) -> Iterator[Enclosure]:
    for each in _list(entry, "attachments")[:MAX_ENCLOSURES]:
        found = _url(each, "url", url) if isinstance(each, dict) else ""
        if found:
            size = each.get("size_in_bytes")
            is_size = isinstance(size, int | float) and 0 <= size < _MAX_BYTES_EACH
            yield Enclosure(found, _word(each, "mime_type")[:100], int(size) if is_size else 0)


def _word(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    if isinstance(found, bool):
        return ""
    return str(found) if isinstance(found, int | float) else found if isinstance(found, str) else ""


def _list(value: dict[str, Any], name: str) -> list[Any]:
    found = value.get(name)
    return found if isinstance(found, list) else []


def _url(value: dict[str, Any], name: str, base: str) -> str:
    told = value.get(name)
    found = told.strip() if isinstance(told, str) else ""
    if found and "://" not in found[:20]:
        found = resolve(found, base or None) or ""
    return web_url(found, base)


def _as_html(text: str) -> str:
    return html.escape(text[:MAX_TEXT], quote=False)


def _salvaged(text: str) -> dict[str, Any]:
    """The version, the title, and the items that can be read one by one."""
    start = _ITEMS.search(text)
    head = text[: start.start()] if start else text[:100_000]
    found: dict[str, Any] = {"items": []}
    for name in ("version", "title", "home_page_url", "feed_url", "language"):
        match = re.search(rf'"{name}"\s{{0,99}}:\s{{0,99}}("(?:[^"\\]|\\.){{0,5000}}")', head)
        if match:
            found[name] = _decoded(match[1])
    at, decoder = start.end() if start else len(text), json.JSONDecoder()
    while len(found["items"]) <= MAX_ITEMS:
        gap = _BETWEEN.match(text, at)
        at = gap.end() if gap else at
        if not text.startswith("{", at):
            break
        try:
            entry, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        found["items"].append(entry)
    return found


def _decoded(quoted: str) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        return ""
