"""What does a form say whose pages are made only when it is opened? XFA, an XML within the file.

Such a file shows a page that asks for another viewer. Its template holds the words in the order of
the page and the fields, its datasets what was filled in (Adobe XFA 3.3). A form that has real pages
too is read from those.
"""

from collections.abc import Iterator

from shoal.converters.pdf.library import Pdf, xfa_packets
from shoal.converters.xml import Element, all_text, attribute, local, named, parse

_BYTES, _LINES = 10_000_000, 20_000
_SHORT_CHARS = 1_500


def xfa_lines(pdf: Pdf, page_chars: int) -> list[str]:
    """A line for each text and each field that is filled in; none when the pages say it."""
    if page_chars > _SHORT_CHARS:
        return []
    packets = xfa_packets(pdf, _BYTES)
    root = parse(packets.get("template", b""))
    if root is None:
        return []
    values = _values(packets.get("datasets", b""))
    lines: list[str] = []
    for line in _lines(root, values):
        lines.append(line)
        if len(lines) >= _LINES:
            break
    return lines


def _values(datasets: bytes) -> dict[str, list[str]]:
    """What was filled in, by the names of fields, in order."""
    values: dict[str, list[str]] = {}
    root = parse(datasets) if datasets else None
    if root is not None:
        for element in root.iter():
            text = all_text(element).strip() if len(element) == 0 else ""
            if text:
                values.setdefault(local(element), []).append(text)
    return values


def _lines(root: Element, values: dict[str, list[str]]) -> Iterator[str]:
    for element in named(root, "draw", "field"):
        if attribute(element, "presence") in ("hidden", "invisible", "inactive"):
            continue
        caption = " ".join(
            " ".join(all_text(text).split())
            for value in named(element, "value")
            for text in named(value, "text", "exData")
        ).strip()
        if local(element) == "draw":
            if caption:
                yield caption
            continue
        name = attribute(element, "name")
        filled = values.get(name, [])
        value = filled.pop(0) if filled else ""
        label = caption or (name if value else "")
        if label:
            yield f"{label.rstrip(':')}: {value}" if value else label
