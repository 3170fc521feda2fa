"""What does its owner say of a page and its use? Author, date, licence, signals to machines.

They are recorded as they were found, for whoever uses the collection: nothing is left out of a
crawl, an index or an export by them.
"""

from collections.abc import Iterator

from shoal.collection.page import Page

_SIGNALS = {
    "content_usage": "Content-Usage in its header",
    "content_signal": "Content-Signal in its header",
    "tdm_reservation": "tdm-reservation with the page",
    "tdm_policy": "tdm-policy with the page",
    "noai": "noai among its robots rules",
    "robots_content_signal": "Content-Signal in robots.txt",
    "robots_content_usage": "Content-Usage in robots.txt",
    "site_tdm_reservation": "tdm-reservation in tdmrep.json",
    "site_tdm_policy": "tdm-policy in tdmrep.json",
}


def signal_lines(page: Page) -> Iterator[tuple[str, str]]:
    """A topic and a sentence for each."""
    document = page.document
    if document.author:
        yield "author", f"It names {document.author} as its author."
    if document.published:
        yield "published", f"It says that it was published {document.published}."
    for url in document.licenses:
        yield "license", f"It names {url} as its license."
    for name, value in page.ai_use.items():
        said = "" if value is True else f": {value}"
        yield "use", f"Its owner says {_SIGNALS[name]}{said}."
