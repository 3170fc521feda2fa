"""What lies upon a page? Links over words, comments, form fields and files pinned to it.

They are annotations, apart from the page's own text (ISO 32000-1, 12.5). Comments whose window is
another annotation (Popup) are taken once, hidden ones not at all. A form's field has one or more
widgets on pages; it is told once, where its first one is.
"""

import ctypes
from dataclasses import dataclass, field
from typing import Any

from shoal.converters.pdf.library import Attachment, Pdf, attached, raw, wide
from shoal.converters.pdf.text import Box, Word

_MOST = 5_000
_HIDDEN = 2
_URI = 3
_BUCKET_PT = 24
_CHOICES = 500


@dataclass(slots=True)
class Notes:
    links: list[tuple[Box, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    fields: list[tuple[str, str]] = field(default_factory=list)
    """(name, value), of those filled in."""
    files: list[Attachment] = field(default_factory=list)


def notes_of(pdf: Pdf, page: Any, most_bytes: int) -> Notes:
    notes = Notes()
    for number in range(min(_MOST, max(0, raw.FPDFPage_GetAnnotCount(page)))):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        if not annotation:
            continue
        try:
            room = most_bytes - sum(len(file.data) for file in notes.files)
            _note(pdf, annotation, notes, room)
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
    return notes


def _note(pdf: Pdf, annotation: Any, notes: Notes, most_bytes: int) -> None:
    kind = raw.FPDFAnnot_GetSubtype(annotation)
    if kind == raw.FPDF_ANNOT_LINK:
        href = _href(pdf, annotation)
        if href:
            notes.links.append((_box(annotation), href))
    elif kind == raw.FPDF_ANNOT_WIDGET:
        named = _field(pdf, annotation) if pdf.form else None
        if named is not None:
            notes.fields.append(named)
    elif kind == raw.FPDF_ANNOT_FILEATTACHMENT:
        handle = raw.FPDFAnnot_GetFileAttachment(annotation)
        file = attached(handle, most_bytes) if handle else None
        if file is not None:
            notes.files.append(file)
    elif kind != raw.FPDF_ANNOT_POPUP and not raw.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
        contents = wide(raw.FPDFAnnot_GetStringValue, annotation, b"Contents").strip()
        if contents:
            writer = wide(raw.FPDFAnnot_GetStringValue, annotation, b"T").strip()
            notes.comments.append(f"{writer}: {contents}" if writer else contents)


def _href(pdf: Pdf, annotation: Any) -> str:
    link = raw.FPDFAnnot_GetLink(annotation)
    action = raw.FPDFLink_GetAction(link) if link else None
    if not action or raw.FPDFAction_GetType(action) != _URI:
        return ""
    length = raw.FPDFAction_GetURIPath(pdf.handle, action, None, 0)
    if not 1 < length <= 10_000:  # longer ones are no addresses
        return ""
    buffer = ctypes.create_string_buffer(length)
    raw.FPDFAction_GetURIPath(pdf.handle, action, buffer, length)
    return buffer.value.decode("utf-8", "replace").strip()


def _box(annotation: Any) -> Box:
    found = raw.FS_RECTF()
    if not raw.FPDFAnnot_GetRect(annotation, found):
        return Box(0, 0, 0, 0)
    across, up = sorted((found.left, found.right)), sorted((found.bottom, found.top))
    return Box(across[0], up[0], across[1], up[1])


def _field(pdf: Pdf, widget: Any) -> tuple[str, str] | None:
    kind = raw.FPDFAnnot_GetFormFieldType(pdf.form, widget)
    name = wide(raw.FPDFAnnot_GetFormFieldName, pdf.form, widget).strip()
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        if not raw.FPDFAnnot_IsChecked(pdf.form, widget):
            return None
        value = wide(raw.FPDFAnnot_GetFormFieldExportValue, pdf.form, widget)
    elif kind in (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        value = _chosen(pdf, widget) or wide(raw.FPDFAnnot_GetFormFieldValue, pdf.form, widget)
    elif kind == raw.FPDF_FORMFIELD_TEXTFIELD:
        value = wide(raw.FPDFAnnot_GetFormFieldValue, pdf.form, widget)
    else:
        return None
    return (name, value.strip()) if value.strip() else None


def _chosen(pdf: Pdf, widget: Any) -> str:
    """What is chosen in a list as it is shown: values may be codes."""
    options = min(_CHOICES, max(0, raw.FPDFAnnot_GetOptionCount(pdf.form, widget)))
    return ", ".join(
        wide(raw.FPDFAnnot_GetOptionLabel, pdf.form, widget, option)
        for option in range(options)
        if raw.FPDFAnnot_IsOptionSelected(pdf.form, widget, option)
    )


def link_words(words: list[Word], links: list[tuple[Box, str]]) -> None:
    """Words under a link's box get its address."""
    if not links:
        return
    buckets: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        buckets.setdefault((word.style.turn, int(word.y // _BUCKET_PT)), []).append(word)
    for turn in {turn for turn, _ in buckets}:
        for box, href in links:
            at = box.turned(turn)
            first, last = int(at.bottom // _BUCKET_PT) - 1, int(at.top // _BUCKET_PT) + 1
            if last - first > 200:  # larger than any page
                continue
            for bucket in range(first, last + 1):
                for word in buckets.get((turn, bucket), ()):
                    middle = (word.x0 + word.x1) / 2
                    height = word.y + word.style.size * 0.3
                    if at.left <= middle <= at.right and at.bottom <= height <= at.top:
                        word.href = href
