"""What do pictures say? Letters recognised in images and scanned pages, for whoever asked for it.

Off unless asked: recognition takes seconds where reading takes milliseconds, and needs the program
tesseract. What was recognised follows what the file says itself.
"""

import time

from shoal.converters.context import Context, Converted
from shoal.converters.media import ocr
from shoal.converters.pdf.library import Unreadable, opened, rendered
from shoal.converters.writer import Writer, text_of

_SECONDS = 240.0
"""For all pages of a document."""
_PAGE_SECONDS = 30.0
_PDF = "application/pdf"
_SCANNED = "no text: scanned pages"
_LITTLE_TEXT = 200
"""Characters: a stamp or a page number on a scan is not its text."""


def add_recognised(found: list[Converted], body: bytes, context: Context) -> None:
    """Adds to a document that is a picture, or is made of them, what can be read in it."""
    own = found[0]
    is_scan = context.media_type == _PDF and len(own.page.text) < _LITTLE_TEXT
    if not is_scan and not context.media_type.startswith("image/"):
        return
    if not ocr.available():
        own.problem = "; ".join(filter(None, (own.problem, "tesseract is not installed")))
        return
    writer = Writer(context.limits)
    if is_scan:
        _recognise_pages(body, writer)
    else:
        ending = context.media_type.partition("/")[2].partition("+")[0]
        _write(ocr.recognise(body, ending, _PAGE_SECONDS), writer, 1)
    if writer.blocks:
        own.page.blocks = [*own.page.blocks, *writer.blocks]
        own.page.text = "\n".join(filter(None, (own.page.text, text_of(writer.blocks))))
        own.problem = own.problem.replace(_SCANNED, "").strip("; ")


def _recognise_pages(body: bytes, writer: Writer) -> None:
    until = time.monotonic() + _SECONDS
    try:
        with opened(body) as pdf:
            number = 0
            while time.monotonic() < until and not writer.full:
                picture = rendered(pdf, number)
                if not picture.pixels:
                    break
                head = f"P5 {picture.width} {picture.height} 255\n".encode()
                number += 1
                left = min(_PAGE_SECONDS, until - time.monotonic())
                _write(ocr.recognise(head + picture.pixels, "pgm", left), writer, number)
    except Unreadable:
        return


def _write(text: str, writer: Writer, page: int) -> None:
    for paragraph in text.split("\n\n"):
        writer.paragraph(paragraph, source=page)
