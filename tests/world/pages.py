"""What bytes does a page have?

HTML as sites write it: navigation, article, a list of links inside, an aside with links to other
sites, a footer, a canonical link, a <base> on some pages, style and script. Comments and scripts
hold `/ghost/` addresses that are not links: a crawler that asks for one reads HTML wrongly. A few
pages are plain text, PDF or PNG instead, small but valid. A new version replaces the first
paragraphs, and the first of them is sure to be another than in all versions around it.
"""

from __future__ import annotations

import random
import struct
import zlib
from functools import lru_cache
from html import escape

from tests.world.chance import Purpose, mix, stream
from tests.world.sources import Post, feed_media_type, feed_target, has_feed
from tests.world.text import MEAN_PARAGRAPH_BYTES, PARAGRAPHS, Body, Paragraphs, Piece, piece_of
from tests.world.web import Link, Web

MEDIA_TYPES = {"txt": "text/plain; charset=utf-8", "pdf": "application/pdf", "png": "image/png"}
_REWRITTEN = 2  # paragraphs that a new version replaces
_STRIDE = 617  # no factor in common with PARAGRAPHS: versions differ if fewer than that apart
_STYLE = (
    "body{margin:0;font:16px/1.5 serif}nav ul{display:flex;list-style:none}"
    "main{max-width:44em;margin:auto}aside{float:right;width:14em}footer{color:#666}"
)
_FOOT = (
    '<a href="#top">top</a> <a href="mailto:office@example.org">write to us</a> '
    '<a href="javascript:void(0)">print</a></p></footer>\n</body></html>\n'
)


class Writer:
    """Writes the pages of one web."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.paragraphs = Paragraphs(web.seed)
        self._frame = lru_cache(maxsize=20_000)(self._make_frame)

    def media_type(self, host: int, page: int) -> str:
        kind = self.web.kind(host, page)
        if kind != "html":
            return MEDIA_TYPES[kind]
        # The other charset is declared in the page only, as old sites do.
        utf8 = self.web.charset(host) == "utf-8"
        return "text/html; charset=utf-8" if utf8 else "text/html"

    def body(self, host: int, page: int, version: int = 0) -> bytes:
        """The bytes of this version of the page."""
        kind = self.web.kind(host, page)
        if kind == "html":
            return self.html(host, page, version).plain()
        if kind == "png":
            return _png(host, page, version)
        rng = stream(self.web.seed, Purpose.TEXT, host, page)
        numbers = self._numbers(rng, (host, page, version), 4)
        text = [self.paragraphs.text(number) for number in numbers]
        lines = [self.web.title(host, page), *" ".join(text).replace(". ", ".\n").split("\n")]
        return ("\n".join(lines) + "\n").encode() if kind == "txt" else _pdf(lines)

    def html(self, host: int, page: int, version: int) -> Body:
        web = self.web
        charset = web.charset(host)
        nav, foot = self._frame(host)
        head = _head(web, host, page, version).encode(charset)
        links = _links(web.links(host, page)[len(web.nav(host)) :], host)
        middle = f"{links}<h1>{escape(web.title(host, page))}</h1>\n".encode(charset)
        written = len(head) + len(nav.plain) + len(middle) + len(foot.plain)
        rng = stream(web.seed, Purpose.TEXT, host, page)
        room = web.mean_bytes * rng.lognormvariate(-0.125, 0.5) - written
        count = max(_REWRITTEN, round(room / MEAN_PARAGRAPH_BYTES))
        numbers = self._numbers(rng, (host, page, version), count)
        pieces = [self.paragraphs.piece(number, charset) for number in numbers]
        return Body([head, nav, middle, *pieces, foot])

    def _make_frame(self, host: int) -> tuple[Piece, Piece]:
        """What all pages of a host have in common: navigation and footer."""
        charset = self.web.charset(host)
        items = "".join(f"<li>{_anchor(link)}</li>\n" for link in self.web.nav(host))
        nav = f"<body>\n<header><nav><ul>\n{items}</ul></nav></header>\n"
        foot = f"</article></main>\n<footer><p>&copy; {self.web.host_name(host)} {_FOOT}"
        return piece_of(nav.encode(charset)), piece_of(foot.encode(charset))

    def _numbers(self, rng: random.Random, edition: tuple[int, int, int], count: int) -> list[int]:
        """Which paragraphs make the text; a new version has a beginning of its own."""
        numbers = rng.choices(range(PARAGRAPHS), k=count)
        if version := edition[2]:
            fresh = stream(self.web.seed, mix(*edition)).choices(range(PARAGRAPHS), k=_REWRITTEN)
            fresh[0] = (numbers[0] + version * _STRIDE) % PARAGRAPHS
            numbers[:_REWRITTEN] = fresh
        return numbers

    def post(self, post: Post) -> bytes:
        """The page of a post, in the frame of its host."""
        charset = self.web.charset(post.host)
        nav, foot = self._frame(post.host)
        head = (
            f'<!doctype html>\n<html lang="en"><head>\n<meta charset="{charset}">\n'
            f"<title>{escape(post.title)}</title>\n</head>\n"
        )
        text = f"<main><article><h1>{escape(post.title)}</h1>\n<p>{escape(post.text)}</p>\n"
        return Body([head.encode(charset), nav, text.encode(charset), foot]).plain()


def _head(web: Web, host: int, page: int, version: int) -> str:
    base = web.base(host, page)
    based = f'<base href="{base}">\n' if base else ""
    title = escape(web.title(host, page))
    return (
        '<!doctype html>\n<html lang="en"><head>\n'
        f'<meta charset="{web.charset(host)}">\n{based}<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width">\n'
        f'<meta name="revision" content="{version}">\n'
        f'<meta name="description" content="About {title}">\n'
        f'<link rel="canonical" href="{escape(web.url(host, page))}">\n{_announced(web, host)}'
        f"<style>{_STYLE}</style>\n"
        f"<script>var next='<a href=\"/ghost/{page}.html\">next</a>';</script>\n</head>\n"
    )


def _announced(web: Web, host: int) -> str:
    """Where the host's feed is, if it has one."""
    if not has_feed(web, host):
        return ""
    kind, target = feed_media_type(host), feed_target(host)
    return f'<link rel="alternate" type="{kind}" href="{target}">\n'


def _links(links: list[Link], host: int) -> str:
    """An aside with the links to other sites, and the links inside the site."""
    outside = [f"<li>{_anchor(link)}</li>\n" for link in links if link.host != host]
    inside = [_anchor(link) for link in links if link.host == host]
    return (
        "<!-- <a href='/ghost/moved.html'>moved</a> -->\n<main><aside><h2>Elsewhere</h2><ul>\n"
        f"{''.join(outside)}</ul></aside>\n<article>"
        f"<p>On this site you also find: {', '.join(inside) or 'nothing yet'}.</p>\n"
    )


def _anchor(link: Link) -> str:
    rel = ' rel="nofollow"' if link.nofollow else ""
    # Only the ampersand occurs here; html.escape would take twice the time.
    href, text = link.href.replace("&", "&amp;"), link.text.replace("&", "&amp;")
    return f'<a href="{href}"{rel}>{text}</a>'


def _pdf(lines: list[str]) -> bytes:
    """One page of uncompressed text, with a true cross-reference table (ISO 32000-1, 7.5)."""
    shown = [
        line.encode("latin-1", "replace")
        .replace(b"\\", b"\\\\")
        .replace(b"(", b"\\(")
        .replace(b")", b"\\)")
        for line in lines
    ]
    content = b"BT /F1 9 Tf 40 780 Td 14 TL\n" + b"".join(b"(%s) '\n" % s for s in shown) + b"ET"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources 6 0 R>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Font<</F1 5 0 R>>>>",
    ]
    out, table = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", b"0000000000 65535 f \n"
    for number, value in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, value)
    tail = b"xref\n0 %d\n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"
    return out + tail % (len(objects) + 1, table, len(objects) + 1, len(out))


def _png(host: int, page: int, version: int) -> bytes:
    """A small grey picture (PNG, third edition, section 5)."""
    side = 16
    rows = b"".join(
        b"\0" + b"".join(mix(host, page, version, y, x).to_bytes(8) for x in range(side // 8))
        for y in range(side)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    picture = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + picture
