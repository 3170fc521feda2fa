"""What is a page's HTML source in characters? For what looks at markup rather than at blocks.

Decoding is the converters' own; no parser runs, so it is done here and not in a child process. A
source of more than `MOST_BYTES` is cut: the methods take time and memory by the token.
"""

from pathlib import Path

from shoal.cleaners.curve import Curve, Method, slope
from shoal.collection.view import Page
from shoal.converters.characters.charset import decode
from shoal.errors import CollectionError, UsageError

__all__ = ["Curve", "Method", "file_source", "page_source", "slope", "stored_source"]

MOST_BYTES = 20_000_000
_MARKUP = ("html", "xml")


def page_source(body: bytes, declared_charset: str = "") -> str:
    """The characters of a body; what HTTP declared is believed, as in a crawl."""
    return decode(body[:MOST_BYTES], declared_charset, "html").text


def file_source(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return page_source(file.read(MOST_BYTES))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(f"{path} can't be read: {reason}") from error


def stored_source(page: Page) -> str:
    """Raises CollectionError for a page that has no source: not kept, or no markup."""
    kind = page.document.media_type
    if not any(each in kind for each in _MARKUP):
        raise CollectionError(f"{page.url} is {kind or 'of no known type'}, and no HTML.")
    if page.stored.fetch.payload is None and page.document.decoded_bytes:
        raise CollectionError(
            f"The body of {page.url} was not kept (see the setting crawl.keep), or was lost with "
            "its archive file and will be fetched again."
        )
    return page_source(page.body, page.document.charset)
