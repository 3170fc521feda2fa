"""How does a stored response of any format become a page that may be shown? By reading it once more
in a child process, as in a crawl: with limits of time and memory and without a network.

The children are kept while the site is served, since starting one takes longer than most pages.
"""

import threading
from contextlib import ExitStack
from html import escape

from shoal.collection.view import Page
from shoal.errors import DamagedError
from shoal.web.server.view import Problem
from shoal.worker.converting import Converter

MOST_BYTES = 50_000_000
"""Of a body; a larger one is for `shoal show`, not for a browser."""
MOST_SECONDS = 15.0
_CHILDREN = 2
_WAIT_SECONDS = 20.0


class Copies:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(_CHILDREN)
        self._converter: Converter | None = None
        self._open = ExitStack()

    def html(self, page: Page) -> str:
        """Its copy, not yet made safe. Raises Problem when there is none to show."""
        if page.document.decoded_bytes > MOST_BYTES:
            raise Problem(413, "This page is too large for a browser; `shoal show --html` has it.")
        if page.stored.fetch.payload is None and not page.body:
            return _of_text(page)  # one's own is in no archive, and is read where it stands
        if not self._turns.acquire(timeout=_WAIT_SECONDS):
            raise Problem(503, "Other copies are still being made; try again in a moment.")
        try:
            found = page.converted(self._children())
        except DamagedError:
            return _of_text(page)
        finally:
            self._turns.release()
        if not found.blocks and found.problem:
            raise Problem(422, f"This page can't be shown: {found.problem.rstrip('.')}.")
        return found.html

    def close(self) -> None:
        with self._lock:
            self._converter = None
            self._open.close()

    def _children(self) -> Converter:
        with self._lock:
            if self._converter is None:
                converter = Converter(processes=_CHILDREN, max_seconds=MOST_SECONDS)
                self._converter = self._open.enter_context(converter)
            return self._converter


def _of_text(page: Page) -> str:
    """Where the response was not kept (the setting crawl.keep), its text is what there is."""
    text = page.whole_text
    if not text:
        raise Problem(404, "Nothing was kept of this page (see the setting crawl.keep).")
    return "".join(f"<p>{escape(line)}</p>\n" for line in text.splitlines() if line.strip())
