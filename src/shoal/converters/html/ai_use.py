"""What does the owner say about AI use? Read from headers and meta elements, kept, not judged.

Content-Usage (IETF aipref), Content-Signal, TDMRep (a W3C report), and the page rule `noai`; and
the licence that a `Link` header names (RFC 8288) beside those of the page itself.
"""

import re
from collections.abc import Iterable

from shoal.model.document import Signals
from shoal.model.robots.page_rules import PageRules
from shoal.model.urls.url import resolve
from shoal.model.visit import Fetched

MAX_CHARS = 500
MAX_LICENSES = 4
MAX_LICENSE_CHARS = 2000
_MOST_HEADER_CHARS = 8192
_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_LICENSE = re.compile(r';\s*rel\s*=\s*(?:"(?:[^"]*\s)?license(?:\s[^"]*)?"|license\s*(?:[;,]|$))')

_USAGE = "content-usage"
_SIGNAL = "content-signal"
_TDM_RESERVATION = "tdm-reservation"
_TDM_POLICY = "tdm-policy"
_NAMES = frozenset({_USAGE, _SIGNAL, _TDM_RESERVATION, _TDM_POLICY})
_NOTHING = Signals()
_NOAI = Signals(noai=True)


def signals(fetched: Fetched, meta: Iterable[tuple[str, str]], rules: PageRules) -> Signals:
    by_name = dict(meta)
    if _NAMES.isdisjoint(by_name) and not any(name in _NAMES for name, _ in fetched.headers):
        return _NOAI if rules.noai else _NOTHING  # most pages

    def tdm(name: str) -> str:
        return (joined_header(fetched, name) or by_name.get(name, ""))[:MAX_CHARS]

    return Signals(
        content_usage=joined_header(fetched, _USAGE)[:MAX_CHARS],
        content_signal=joined_header(fetched, _SIGNAL)[:MAX_CHARS],
        tdm_reservation=tdm(_TDM_RESERVATION),
        tdm_policy=tdm(_TDM_POLICY),
        noai=rules.noai,
    )


def joined_header(fetched: Fetched, name: str) -> str:
    """All values of a field as one list (RFC 9110, 5.3)."""
    return ", ".join(value for key, value in fetched.headers if key == name)


def licenses(fetched: Fetched, hrefs: Iterable[str], base: str) -> list[str]:
    """URLs of the web, each once: those that the page names, then those of its head."""
    found = dict.fromkeys(hrefs)
    for name, value in fetched.headers:
        if name == "link" and "license" in value.lower():
            for target, params in _LINK.findall(value[:_MOST_HEADER_CHARS]):
                if _LICENSE.search(params.lower()):
                    found[target.strip()] = None
    return web_urls(found, base)


def web_urls(hrefs: Iterable[str], base: str) -> list[str]:
    resolved = dict.fromkeys(resolve(href, base) for href in hrefs)
    urls = [url for url in resolved if url and url.startswith(("http://", "https://"))]
    return [url for url in urls if len(url) <= MAX_LICENSE_CHARS][:MAX_LICENSES]
