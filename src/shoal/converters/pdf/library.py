"""How is a PDF opened? The one place that imports pypdfium2; what the file says of itself is here.

PDFium reads damaged files as a viewer does (a broken table of objects is rebuilt), which is why it
was taken. Its C interface is called as it is: `raw` for the modules that read pages, and `fast` for
calls that are made per word, at about half of the cost. PDFium is not made for threads.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw  # type: ignore[import-untyped]

raw: Any = pypdfium2.raw

_PASSWORD, _SECURITY = 4, 5
_OUTLINE_ENTRIES, _OUTLINE_DEPTH = 20_000, 32
_PACKETS = 40
_STRING_BYTES = 2_000_000


class Unreadable(Exception):
    """PDFium cannot open it; the message says why in a word or two."""


class Entry(NamedTuple):
    """Of the outline: a bookmark."""

    depth: int
    title: str
    page: int
    """From 0 on; -1 when it leads nowhere."""


class Attachment(NamedTuple):
    name: str
    media_type: str
    data: bytes


@dataclass(slots=True)
class Pdf:
    """An open document."""

    handle: Any
    page_count: int
    form: Any
    """PDFium's form environment; None when there is no form."""


def fast(function: Any, result: Any, *arguments: Any) -> Callable[..., Any]:
    """The same C function with plain numbers for pointers."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    made: Callable[..., Any] = ctypes.CFUNCTYPE(result, *arguments)(address or 0)
    return made


@contextmanager
def opened(body: bytes) -> Iterator[Pdf]:
    """The document, as long as the block runs."""
    handle = raw.FPDF_LoadMemDocument64(body, len(body), None)
    if not handle:
        error = raw.FPDF_GetLastError()
        raise Unreadable("encrypted" if error in (_PASSWORD, _SECURITY) else "damaged")
    form = None
    settings = raw.FPDF_FORMFILLINFO(version=2)  # PDFium keeps a pointer to it while open
    try:
        if raw.FPDF_GetFormType(handle) > 0:
            form = raw.FPDFDOC_InitFormFillEnvironment(handle, settings)
        yield Pdf(handle, max(0, raw.FPDF_GetPageCount(handle)), form)
    finally:
        if form:
            raw.FPDFDOC_ExitFormFillEnvironment(form)
        raw.FPDF_CloseDocument(handle)


@contextmanager
def page_of(pdf: Pdf, number: int) -> Iterator[Any]:
    """PDFium's handle of a page (from 0 on), or None when it cannot be read."""
    page = raw.FPDF_LoadPage(pdf.handle, number)
    try:
        yield page or None
    finally:
        if page:
            raw.FPDF_ClosePage(page)


def draws(page: Any) -> bool:
    """Whether there is anything on a page."""
    return bool(raw.FPDFPage_CountObjects(page) > 0)


def wide(function: Callable[..., int], *arguments: Any) -> str:
    """What a function writes as UTF-16 into a buffer whose length it tells when asked."""
    return _filled(function, arguments).decode("utf-16-le", "replace").rstrip("\0")


def narrow(function: Callable[..., int], *arguments: Any) -> str:
    """The same for bytes."""
    data = _filled(function, arguments).rstrip(b"\0")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _filled(function: Callable[..., int], arguments: tuple[Any, ...]) -> bytes:
    length = function(*arguments, None, 0)
    if not 0 < length <= _STRING_BYTES:
        return b""
    # Some count units of two bytes and some bytes, and take buffers of their own kinds.
    buffer = ctypes.create_string_buffer(length + 2)
    kind = function.argtypes[len(arguments)]  # type: ignore[attr-defined]
    function(*arguments, ctypes.cast(buffer, kind), length)
    return buffer.raw[:length]


def info(pdf: Pdf, key: str) -> str:
    """Of the information dictionary: `Title`, `Author`, `CreationDate` …"""
    return wide(raw.FPDF_GetMetaText, pdf.handle, key.encode()).strip()


def language(pdf: Pdf) -> str:
    return wide(raw.FPDFCatalog_GetLanguage, pdf.handle).strip()


def is_whole(pdf: Pdf) -> bool:
    """Whether its own table of objects could be used."""
    return bool(raw.FPDF_DocumentHasValidCrossReferenceTable(pdf.handle))


def xfa_packets(pdf: Pdf, most_bytes: int) -> dict[str, bytes]:
    """Of a form that is made of XML, by name."""
    packets: dict[str, bytes] = {}
    for number in range(min(_PACKETS, max(0, raw.FPDF_GetXFAPacketCount(pdf.handle)))):
        name = narrow(raw.FPDF_GetXFAPacketName, pdf.handle, number)
        length = ctypes.c_ulong()
        if not raw.FPDF_GetXFAPacketContent(pdf.handle, number, None, 0, length):
            continue
        if not 0 < length.value <= most_bytes:
            continue
        buffer = ctypes.create_string_buffer(length.value)
        raw.FPDF_GetXFAPacketContent(pdf.handle, number, buffer, length.value, length)
        packets[name] = buffer.raw[: length.value]
    return packets


def outline(pdf: Pdf) -> list[Entry]:
    """Bookmarks in reading order. They may be linked in circles, so each is taken once."""
    entries: list[Entry] = []
    seen: set[int] = set()
    stack = [(raw.FPDFBookmark_GetFirstChild(pdf.handle, None), 1)]
    while stack and len(entries) < _OUTLINE_ENTRIES:
        mark, depth = stack.pop()
        address = ctypes.cast(mark, ctypes.c_void_p).value if mark else None
        if address is None or address in seen:
            continue
        seen.add(address)
        entries.append(Entry(depth, wide(raw.FPDFBookmark_GetTitle, mark), _target(pdf, mark)))
        stack.append((raw.FPDFBookmark_GetNextSibling(pdf.handle, mark), depth))
        if depth < _OUTLINE_DEPTH:
            stack.append((raw.FPDFBookmark_GetFirstChild(pdf.handle, mark), depth + 1))
    return entries


def _target(pdf: Pdf, mark: Any) -> int:
    target = raw.FPDFBookmark_GetDest(pdf.handle, mark)
    if not target:
        action = raw.FPDFBookmark_GetAction(mark)
        target = raw.FPDFAction_GetDest(pdf.handle, action) if action else None
    return int(raw.FPDFDest_GetDestPageIndex(pdf.handle, target)) if target else -1


def attachments(pdf: Pdf, most: int, most_bytes: int) -> Iterator[Attachment]:
    """No more than so many, and so many bytes in all."""
    for number in range(min(most, max(0, raw.FPDFDoc_GetAttachmentCount(pdf.handle)))):
        handle = raw.FPDFDoc_GetAttachment(pdf.handle, number)
        attachment = attached(handle, most_bytes) if handle else None
        if attachment is not None:
            most_bytes -= len(attachment.data)
            yield attachment


def attached(handle: Any, most_bytes: int) -> Attachment | None:
    length = ctypes.c_ulong()
    if not raw.FPDFAttachment_GetFile(handle, None, 0, length) or length.value > most_bytes:
        return None
    buffer = ctypes.create_string_buffer(length.value)
    if not raw.FPDFAttachment_GetFile(handle, buffer, length.value, length):
        return None
    name = wide(raw.FPDFAttachment_GetName, handle)
    media_type = wide(raw.FPDFAttachment_GetSubtype, handle).replace("#2F", "/")
    return Attachment(name, media_type, buffer.raw[: length.value])


def rendered(pdf: Pdf, number: int, dpi: int = 200, most_pixels: int = 30_000_000) -> "Picture":
    """A page (from 0 on) as a picture in grey, for reading its letters: smaller when it is too
    large. Empty when the page cannot be read."""
    with page_of(pdf, number) as page:
        if page is None:
            return Picture(0, 0, b"")
        width_pt, height_pt = raw.FPDF_GetPageWidthF(page), raw.FPDF_GetPageHeightF(page)
        if not (width_pt > 0 and height_pt > 0):
            return Picture(0, 0, b"")
        scale = min(dpi / 72, (most_pixels / (width_pt * height_pt)) ** 0.5)
        width, height = max(1, int(width_pt * scale)), max(1, int(height_pt * scale))
        if width * height > most_pixels + width + height:
            return Picture(0, 0, b"")
        stride = width
        pixels = ctypes.create_string_buffer(stride * height)
        bitmap = raw.FPDFBitmap_CreateEx(width, height, raw.FPDFBitmap_Gray, pixels, stride)
        if not bitmap:
            return Picture(0, 0, b"")
        raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
        flags = raw.FPDF_ANNOT | raw.FPDF_GRAYSCALE
        raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
        raw.FPDFBitmap_Destroy(bitmap)
        return Picture(width, height, pixels.raw)


class Picture(NamedTuple):
    width: int
    height: int
    pixels: bytes
    """A byte for each, row by row from the top, 0 black to 255 white."""
