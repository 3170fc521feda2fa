"""What did a page say when it was fetched? Its copy, of any format, as HTML with a banner above.

The copy stands in a frame from `/copy/raw`, in a sandbox that runs no script, sends no form and
loads nothing: it has an origin of its own, its policy allows one stylesheet by its hash, and links
lead to a new tab without saying where from. Pages that say noarchive have no copy (mission H1).
"""

import base64
import hashlib
import re
from datetime import UTC, datetime
from html import escape

from shoal.clock import iso
from shoal.collection.collection import Collection
from shoal.collection.mail import is_mail
from shoal.collection.page import Page
from shoal.errors import UsageError
from shoal.model.record import Struct
from shoal.web.server.http import Request, Response
from shoal.web.server.rendering import harmless, path, web_address
from shoal.web.server.safe_html import safe_html
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, Problem, View, switch, text, wants_json
from shoal.web.server.words import Words

_STYLE = (
    ":root{color-scheme:light dark}"
    "body{margin:0 auto;max-width:46rem;padding:1.25rem;overflow-wrap:break-word;"
    "font:17px/1.6 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;"
    "color:#1b2430;background:#fff}"
    "h1,h2,h3,h4,h5,h6{line-height:1.25;margin:1.4em 0 .5em}"
    "a{color:#1d5fa8}mark{background:#ffe58a;color:#1b2430;border-radius:3px}"
    "pre{overflow-x:auto;background:#f1f4f9;padding:.75rem 1rem;border-radius:8px}"
    "table{border-collapse:collapse;display:block;overflow-x:auto}"
    "th,td{border:1px solid #c4ccd8;padding:.3rem .6rem;text-align:left;vertical-align:top}"
    "blockquote,aside{margin:1em 0;padding-left:1em;border-left:3px solid #c4ccd8;color:#55606f}"
    "@media(prefers-color-scheme:dark){body{color:#e3e9f1;background:#171e28}a{color:#82b7f2}"
    "pre{background:#1c2531}th,td,blockquote,aside{border-color:#2c3746}"
    "blockquote,aside{color:#a3afbf}mark{background:#ecc94b;color:#10151c}}"
)
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
RAW_CSP = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
    f"style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)
FRAMED_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)


_MOST_VERSIONS = 50
_SECONDS = re.compile(r"[0-9]{1,11}(\.[0-9]{1,9})?")
_START = re.compile(r"(?:(?!<p>).)*?<body>\s*", re.DOTALL)
_HEAD_LINE = re.compile(
    r"<p>(?:<b>)?(From|To|Cc|Bcc|Newsgroups|Date):(?:</b>)? .*?</p>\s*", re.DOTALL
)
_HEAD_ORDER = ("From", "To", "Cc", "Bcc", "Newsgroups", "Date")


class Version(Struct):
    when: float
    """Unix seconds, for `at`."""
    fetched: str
    href: str
    current: bool = False


class Copy(Struct):
    url: str
    title: str
    fetched: str
    media_type: str
    language: str
    q: str
    raw: str
    """Where the copy itself is."""
    original: str
    """Where the page is, when a browser may go there; of a file or a mail of one's own, where that
    is shown."""
    versions: list[Version]


class RawCopy(Struct):
    url: str
    fetched: str
    html: str


def copy(site: Site, request: Request) -> Response:
    q = text(request, "q")
    with site.reading() as collection:
        page = _page(collection, request)
        kept = versions(collection, page)
    at = str(page.stored.when)
    data = Copy(
        url=page.url,
        title=page.title,
        fetched=page.fetched,
        media_type=page.document.media_type,
        language=page.document.language,
        q=q,
        raw=path("/copy/raw", url=page.url, at=at, q=q),
        original=_opened_at(page),
        versions=kept,
    )
    headers = {"content-security-policy": FRAMED_CSP}
    return site.answer(request, "copy.html", data, headers=headers)


def own_address(page: Page) -> str:
    """Where a browser is sent that opens what it can't ask for by itself."""
    if is_mail(page):
        return path("/mail", url=page.url)
    if is_own(page) and not page.document.name and page.body:
        return path("/file", url=page.url)
    return path("/copy", url=page.url)


def is_own(page: Page) -> bool:
    return page.url.startswith(("file:///", "mail://")) and page.stored.fetch.payload is None


def _opened_at(page: Page) -> str:
    address = web_address(page.url) or own_address(page)
    return "" if address.startswith("/copy?") else address


def raw(site: Site, request: Request) -> Response:
    with site.reading() as collection:
        page = _page(collection, request)
        html = site.copies.html(page)
    if switch(request, "body") and is_mail(page):
        html = without_head(html, has_date=bool(page.document.published))
    body = safe_html(html, Words(text(request, "q")))
    if wants_json(request):
        return site.answer(request, "copy.html", RawCopy(page.url, page.fetched, body))
    title = escape(str(harmless(page.title)))
    lang = page.document.language
    lang = f' lang="{lang}"' if lang.replace("-", "").isalnum() and lang.isascii() else ""
    shown = (
        f'<!doctype html>\n<html{lang}><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title or 'A copy'}</title><style>{_STYLE}</style></head>\n"
        f"<body><main>\n{body}\n</main></body></html>\n"
    )
    headers = {"content-security-policy": RAW_CSP, "x-robots-tag": "noindex, noarchive"}
    return Response(shown, 200, headers, "text/html")


def without_head(html: str, *, has_date: bool) -> str:
    """A mail's copy without who wrote to whom and when, each of which stands there once, in order:
    the same words further down are the mail's own."""
    start = _START.match(html)
    at = begin = start.end() if start else 0
    kept, last = "", -1
    while line := _HEAD_LINE.match(html, at):
        order = _HEAD_ORDER.index(line[1])
        if order <= last:
            break
        at, last = line.end(), order
        if line[1] == "Bcc" or (line[1] == "Date" and not has_date):
            kept += line[0]
    return html[:begin] + kept + html[at:]


def versions(collection: Collection, page: Page) -> list[Version]:
    """The copies that are kept of a page, the newest first."""
    found: dict[float, None] = {}
    newest = collection.page(page.url)
    while newest is not None and newest.stored.when not in found and len(found) < _MOST_VERSIONS:
        found[newest.stored.when] = None
        newest = collection.page(page.url, newest.stored.when - 0.001)
    return [
        Version(
            when=when,
            fetched=iso(when),
            href=path("/copy", url=page.url, at=str(when)),
            current=when == page.stored.when,
        )
        for when in found
    ]


def stored(collection: Collection, url: str, at: float | None = None) -> Page:
    """The page, or a sentence; whoever may not read it is told the same as of one unknown."""
    if not url:
        raise Problem(400, "Say which page: ?url=…")
    try:
        page = collection.page(url, at)
    except (UsageError, ValueError):
        raise Problem(400, "This is no URL.") from None
    if page is None:
        raise Problem(404, "This page is not in the collection.")
    return page


def moment_of(given: str) -> float | None:
    """Unix seconds, or an ISO time, in which the second counts to its end."""
    if not given:
        return None
    try:
        if _SECONDS.fullmatch(given):
            return float(given)
        when = datetime.fromisoformat(given)
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return when.timestamp() + (0 if when.microsecond else 0.999)
    except (ValueError, OverflowError):
        says = f"{given!r} is no time; write unix seconds, or a time such as 2026-11-15T10:30."
        raise Problem(400, says) from None


def _page(collection: Collection, request: Request) -> Page:
    page = stored(collection, text(request, "url"), moment_of(text(request, "at", 40)))
    current = collection.page(page.url)
    rules = [each.document.rules for each in (page, current) if each is not None]
    if any(each.noarchive for each in rules):
        raise Problem(403, "This page asks that no copy of it is shown (noarchive).")
    return page


_PARAMETERS = (
    Parameter("url", "A URL of the collection.", required=True, must_be="a URL"),
    Parameter(
        "at",
        "The copy that was current then: unix seconds or an ISO time.",
        must_be="a time",
    ),
    Parameter("q", "A query whose words are marked."),
)
_BODY = Parameter("body", "1: of a mail what it says, without from whom, to whom and when.")
VIEWS = (
    View("/copy", copy, "The copy of a page, with a banner.", parameters=_PARAMETERS, data=Copy),
    View(
        "/copy/raw",
        raw,
        "The copy alone, as clean HTML.",
        parameters=(*_PARAMETERS, _BODY),
        data=RawCopy,
    ),
)
