"""feedparser's own well-formed feeds, each with what is expected of it, against `read_feed`.

An expectation is a Python expression in feedparser's names, such as `entries[0]['title'] == 'x'`.
It is never run: its comparisons are picked out of the syntax tree, and those about fields that we
have are looked up in our value. Titles of ours are plain text and texts are HTML, neither is
cleaned, so where feedparser expects cleaned HTML both sides are read as a page is read, and their
words and links are compared: a script must be gone then, a word must be there.
"""

import ast
import calendar
import html
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from shoal.model.listings.feed import Enclosure, Feed, Item
from shoal.model.urls.url import resolve
from shoal.sources.feed import read_feed
from shoal.worker.converting import Converter

PROJECT = Path(__file__).resolve().parents[2]
DATA = PROJECT / os.environ.get("SHOAL_DATA", "../shared/data") / "feeds" / "wellformed"
SERVED_AT = "http://127.0.0.1:8097/tests/feed.xml"
FLOOR = 0.98
"""The share of the expectations about fields that we have."""
CLEANED = "sanitize"
DELIBERATE = {
    "base/http_entry_id_base_content_location.xml",  # a guid is kept as it was given
    "base/http_entry_id_base_docuri.xml",
    "lang/http_content_language.xml",  # of HTTP's headers only the content type is looked at
    "rss/item_description_and_summary.xml",  # the content is the longest text, wherever it stood
    "rss/item_description_not_a_doctype.xml",  # a relative link is resolved, whatever precedes it
}
"""What we do otherwise, and why."""

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="no feeds/wellformed under SHOAL_DATA")

_EXPECT = re.compile(rb"Expect:\s*(.*?)\s*(?:\n|-->)")
_HEADER = re.compile(rb"Header:\s*([\w-]+)\s*:\s*(.*?)\s*\n")
OUT = object()
KeyPath = tuple[str | int, ...]


@dataclass
class Case:
    name: str
    feed: Feed
    expected: ast.expr


@cache
def cases(group: str) -> list[Case]:
    found = []
    for path in sorted((DATA / group).glob("*.xml")):
        body = path.read_bytes()
        match = _EXPECT.search(_readable(body))
        if match is None:
            continue
        headers = {k.decode().lower(): v.decode() for k, v in _HEADER.findall(_readable(body))}
        at = resolve(headers.get("content-location", ""), SERVED_AT) or SERVED_AT
        url = at if at.startswith("http") else SERVED_AT
        feed = read_feed(body, url, headers.get("content-type", "application/xml"))
        tree = ast.parse(match[1].decode().strip(), mode="eval").body
        found.append(Case(str(path.relative_to(DATA)), feed, tree))
    return found


def _readable(body: bytes) -> bytes:
    """The comment at the top, whatever the charset of the file."""
    return body[:20_000].replace(b"\0", b"")


def atoms(tree: ast.expr) -> Iterator[ast.expr]:
    if isinstance(tree, ast.BoolOp):
        for each in tree.values:
            yield from atoms(each)
    else:
        yield tree


def path_of(tree: ast.expr) -> KeyPath | None:
    """`entries[0]['title']` as ("entries", 0, "title"); None: it is no such path."""
    match tree:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=value, attr=attr):
            above = path_of(value)
            return None if above is None else (*above, attr)
        case ast.Subscript(value=value, slice=ast.Constant(value=str() | int() as key)):
            above = path_of(value)
            return None if above is None else (*above, key)
        case ast.Call(func=ast.Name(id="len"), args=[argument]):
            above = path_of(argument)
            return None if above is None else (*above, "len")
    return None


def ours(feed: Feed, path: KeyPath) -> object:
    """What our value has there; OUT: nothing that corresponds."""
    match path:
        case ("bozo",):
            return bool(feed.problem)
        case ("version",):
            return feed.form
        case ("entries", "len"):
            return len(feed.items)
        case ("feed", "title" | "title_detail", *rest) if rest in ([], ["value"]):
            return feed.title
        case ("feed", "link"):
            return feed.url
        case ("feed", "language"):
            return feed.language
        case ("feed", "ttl"):
            return f"{feed.ttl_seconds / 60:g}"
        case ("entries", int(place), *rest):
            # An item that was not found has nothing in its fields: it is missed, not left out.
            return _of_item(feed.items[place] if place < len(feed.items) else Item(), rest)
    return OUT


OF_ITEM: dict[str, Callable[[Item], object]] = {
    **dict.fromkeys(("title", "title_detail value"), lambda item: item.title),
    "link": lambda item: item.url,
    **dict.fromkeys(("id", "guid"), lambda item: item.guid),
    "author": lambda item: item.author,
    **dict.fromkeys(
        ("published", "issued", "created", "published_parsed", "created_parsed"),
        lambda item: item.published,
    ),
    **dict.fromkeys(
        ("updated", "modified", "date", "updated_parsed", "modified_parsed"),
        lambda item: item.updated,
    ),
    **dict.fromkeys(
        ("summary", "description", "summary_detail value", "description_detail value"),
        lambda item: item.summary or item.content,
    ),
    "content 0 value": lambda item: item.content,
    "content 0 language": lambda item: item.language or None,
    **dict.fromkeys(("enclosures 0 href", "enclosures 0 url"), lambda item: _first(item).url),
    "enclosures 0 type": lambda item: _first(item).media_type,
    "enclosures 0 length": lambda item: str(_first(item).length_bytes),
    "enclosures len": lambda item: len(item.enclosures),
}


def _first(item: Item) -> Enclosure:
    return item.enclosures[0] if item.enclosures else Enclosure("")


def _of_item(item: Item, rest: list[str | int]) -> object:
    found = OF_ITEM.get(" ".join(map(str, rest)))
    return OUT if found is None else found(item)


class Judge:
    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    def holds(self, feed: Feed, tree: ast.expr) -> bool:
        match tree:
            case ast.BoolOp(op=ast.And(), values=values):
                return all(self.holds(feed, each) for each in values)
            case ast.BoolOp(values=values):
                return any(self.holds(feed, each) for each in values)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self.holds(feed, operand)
            case ast.Compare(left=left, comparators=right):
                *paths, last = [left, *right]
                expected = literal(last)
                known = [path_of(each) or () for each in paths]
                return all(self._same(ours(feed, path), expected, path) for path in known)
        path = path_of(tree)
        return path is not None and bool(ours(feed, path))

    def _same(self, found: object, expected: object, path: KeyPath) -> bool:
        if found == expected:
            return True
        if isinstance(expected, tuple):
            return found == iso(calendar.timegm((*expected[:6], 0, 0, 0)))
        if not isinstance(found, str) or not isinstance(expected, str):
            return False
        if {"published", "issued", "created", "updated", "modified", "date"} & set(path):
            return found == date_by_feedparser(expected)
        if {"title", "title_detail"} & set(path):
            return found == words(expected)
        if found == html.escape(expected, quote=False):
            return True
        (ours_says, our_links), (says, links) = self._read(found), self._read(expected)
        return ours_says == says and links <= our_links

    def _read(self, text: str) -> tuple[str, set[str]]:
        page = f"<!doctype html><title>x</title><article>{text}</article>"
        read = self._converter.convert(page.encode(), media_type="text/html; charset=utf-8")
        return " ".join(read.text.split()), set(re.findall(r'<a href="([^"]*)"', read.html))


def literal(tree: ast.expr) -> object:
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add):
        return f"{literal(tree.left)}{literal(tree.right)}"
    return ast.literal_eval(tree)


def iso(when: int) -> str:
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def date_by_feedparser(text: str) -> str:
    from feedparser.datetimes import _parse_date  # type: ignore[import-untyped]  # noqa: PLC0415

    parts = _parse_date(text)
    return "" if parts is None else iso(calendar.timegm(parts))


def words(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^<>]*>", "", text)).split())


def asked_of(tree: ast.expr) -> Iterator[KeyPath | None]:
    """The paths that an expectation looks at, but for whether the feed is well-formed."""
    for atom in atoms(tree):
        inner = atom.operand if isinstance(atom, ast.UnaryOp) else atom
        sides = [inner.left, *inner.comparators[:-1]] if isinstance(inner, ast.Compare) else [inner]
        yield from (path for path in map(path_of, sides) if path != ("bozo",))


def is_about_our_fields(case: Case) -> bool:
    paths = list(asked_of(case.expected))
    found = [OUT if path is None else ours(case.feed, path) for path in paths]
    return bool(paths) and OUT not in found


def judged(groups: Iterable[str]) -> tuple[set[str], set[str]]:
    """The names of the cases whose expectations are met, and not met."""
    met: set[str] = set()
    missed: set[str] = set()
    with Converter() as converter:
        judge = Judge(converter)
        for case in (case for group in groups for case in cases(group)):
            if is_about_our_fields(case):
                holds = judge.holds(case.feed, case.expected)
                (met if holds else missed).add(case.name)
    return met, missed


def groups() -> set[str]:
    return {path.name for path in DATA.iterdir() if path.is_dir()}


def test_entries_titles_links_dates_and_text_are_as_expected() -> None:
    met, missed = judged(groups() - {CLEANED})
    assert missed <= DELIBERATE
    assert len(met) >= 373, "of 1,004 feeds, 378 are about fields that we have"
    assert len(met) / (len(met) + len(missed)) >= FLOOR


@pytest.mark.slow
def test_also_with_those_that_expect_cleaned_html() -> None:
    met, missed = judged(groups())
    assert len(met) + len(missed) >= 993, "of 1,749"
    assert len(met) / (len(met) + len(missed)) >= FLOOR, sorted(missed)


@pytest.mark.parametrize("expected", ["'other'", "'x' or entries[0]['title'] == 'z'"])
def test_an_expectation_that_is_not_met_is_found(expected: str) -> None:
    body = b"<rss version='2.0'><channel><item><title>one</title></item></channel></rss>"
    tree = ast.parse(f"not bozo and entries[0]['title'] == {expected}", mode="eval").body
    with Converter() as converter:
        judge = Judge(converter)
        assert not judge.holds(read_feed(body, SERVED_AT), tree)
        right = ast.parse("not bozo and entries[0]['title'] == 'one'", mode="eval").body
        assert judge.holds(read_feed(body, SERVED_AT), right)
