"""Which characters do a page's references stand for? What `html.unescape` says, sooner.

A page of documentation holds dozens of references, and the library's regular expression calls a
function of Python for each: a tenth of a child's work. `_references.c` does the same and leaves odd
ones to the library.
"""

from collections.abc import Callable
from html import unescape as plain_unescape
from html.entities import html5

unescape: Callable[[str], str] = plain_unescape

try:
    from shoal.converters.html._references import decode
except ImportError:
    pass
else:

    def _unescape(text: str) -> str:
        return decode(text, html5, plain_unescape)

    unescape = _unescape
