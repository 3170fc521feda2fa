"""How are documents of one's own opened? /mail shows a mail with what is attached to it and with
its thread; /file is a file or a mail itself, for whoever may read it where it stands.

Whatever those bytes are, they run nothing: the answer is a sandbox with an origin of its own, and
what a browser need not show is saved. A mail is shown as copies are, in a frame.
"""

from urllib.parse import quote

from shoal.collection.mail import Mail
from shoal.collection.page import Page
from shoal.errors import UsageError
from shoal.model.record import Struct
from shoal.model.urls.file_url import shown_name
from shoal.web.server.http import Request, Response
from shoal.web.server.rendering import path
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, Problem, View, text
from shoal.web.views.copies import FRAMED_CSP, is_own, stored

_SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp", "text/plain", "application/pdf")
"""What a browser shows by itself; all else is saved."""
_CSP = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"
_SANDBOX = "; sandbox"
_PDF = "application/pdf"
"""Which browsers show in a viewer of their own, that does not work in a sandbox."""
_NOT_THERE = (
    "It can't be had where it stands as it was read: it has changed, is gone, may not be read by "
    "whoever asks, or stands on a server. Its copy has the text."
)


class MailPage(Struct):
    mail: Mail
    has_source: bool
    """Whether it stands on this machine, so that it can be saved as it was received."""
    raw: str
    """Where its copy is."""
    body: str = ""
    """The same without from whom, to whom and when, which the page has above it."""


def mail(site: Site, request: Request) -> Response:
    with site.reading() as collection:
        try:
            found = collection.mail(text(request, "url"))
        except (UsageError, ValueError):
            raise Problem(400, "This is no URL.") from None
        if found is None:
            stored(collection, text(request, "url"))
            raise Problem(404, "This page is no mail.")
        page = stored(collection, found.url)
        has_source = bool(page.stored.fetch.payload) or bool(page.body)
    at = str(page.stored.when)
    raw = path("/copy/raw", url=found.url, at=at, q=text(request, "q"))
    body = path("/copy/raw", url=found.url, at=at, q=text(request, "q"), body="1")
    headers = {"content-security-policy": FRAMED_CSP}
    data = MailPage(found, has_source, raw, body)
    return site.answer(request, "mail.html", data, headers=headers)


def file(site: Site, request: Request) -> Response:
    with site.reading() as collection:
        page = stored(collection, text(request, "url"))
        if page.document.rules.noarchive:
            raise Problem(403, "This page asks that no copy of it is shown (noarchive).")
        can_be = is_own(page) and not page.document.name
        body = page.body if can_be else b""
    if not can_be:
        raise Problem(404, "This is no file and no mail of one's own.")
    if not body and page.document.body_bytes:
        raise Problem(404, _NOT_THERE)
    kind = page.document.media_type
    shown = kind in _SHOWN
    if kind == "text/plain":
        kind = f"text/plain; charset={_charset(page)}"
    headers = {
        "content-security-policy": _CSP + ("" if kind == _PDF else _SANDBOX),
        "content-disposition": f"{'inline' if shown else 'attachment'}; {_named(page)}",
        "x-robots-tag": "noindex, noarchive",
    }
    return Response(body, 200, headers, kind if shown else "application/octet-stream")


def _charset(page: Page) -> str:
    said = page.document.charset
    return said if said.isascii() and said.replace("-", "").replace("_", "").isalnum() else "utf-8"


def _named(page: Page) -> str:
    name = shown_name(page.url) or f"{page.title[:80].strip() or 'mail'}.eml"
    return f"filename*=UTF-8''{quote(name.replace('/', '-'), safe='', errors='replace')}"


_URL = Parameter("url", "A URL of the collection.", required=True, must_be="a URL")
VIEWS = (
    View(
        "/mail",
        mail,
        "A mail: who wrote to whom, folders, attachments, and all mails of its thread.",
        parameters=(_URL, Parameter("q", "A query whose words are marked.")),
        data=MailPage,
    ),
    View(
        "/file",
        file,
        "A file or a mail of one's own, byte for byte, as it stands on this machine.",
        parameters=(_URL,),
        twin=False,
        media_type="application/octet-stream",
    ),
)
