"""What does a calendar file say? Its events, tasks and journal entries, each under its summary.

iCalendar (RFC 5545) and vCalendar 1.0. Time zones, alarms and identifiers are
machinery and left out.
"""

import re

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.data.content_lines import ContentLine, read
from shoal.converters.writer import Run, Writer

_KINDS = ("VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY")
_TIME = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})(?:T([0-9]{2})([0-9]{2})[0-9]{2}(Z?))?")
_LABELS = {"LOCATION": "Location", "CATEGORIES": "Categories", "ORGANIZER": "Organizer"}
_LABELS |= {"ATTENDEE": "Attendee", "CONTACT": "Contact", "URL": "URL"}


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    title, description, first = "", "", ""
    entry: list[ContentLine] | None = None
    for line in read(source.text):
        if writer.full:
            break
        if line.name == "BEGIN" and line.value.strip().upper() in _KINDS:
            entry = []
        elif line.name == "END" and line.value.strip().upper() in _KINDS:
            summary = _write(entry or [], writer)
            first = first or summary
            entry = None
        elif entry is not None:
            entry.append(line)
        elif line.name in ("X-WR-CALNAME", "NAME"):
            title = line.text
        elif line.name in ("X-WR-CALDESC", "DESCRIPTION"):
            description = line.text
    if entry:  # cut off
        _write(entry, writer)
    page = writer.page(title or first)
    page.description = description
    return decoded(page, source, writer.problem)


def _write(entry: list[ContentLine], writer: Writer) -> str:
    """Its summary."""
    values: dict[str, list[ContentLine]] = {}
    depth = 0
    for line in entry:
        depth += (line.name == "BEGIN") - (line.name == "END")
        if depth == 0:  # not within an alarm
            values.setdefault(line.name, []).append(line)
    summary = _first(values, "SUMMARY")
    writer.heading(summary, 2)
    begin, end = _time(_first(values, "DTSTART")), _time(_first(values, "DTEND"))
    due = _time(_first(values, "DUE"))
    writer.paragraph(" – ".join(filter(None, (begin, end or due))))
    for text in _first(values, "DESCRIPTION").split("\n\n"):
        writer.paragraph(text)
    for name, label in _LABELS.items():
        for line in values.get(name, [])[:1000]:
            _write_line(label, line, writer)
    for line in values.get("COMMENT", [])[:1000]:
        writer.paragraph(line.text)
    return summary


def _write_line(label: str, line: ContentLine, writer: Writer) -> None:
    text = line.parameters.get("CN") or line.text
    is_address = text.lower().startswith("mailto:")
    href = line.text if line.text.lower().startswith(("mailto:", "http:", "https:")) else ""
    writer.paragraph([Run(f"{label}: "), Run(text[7:] if is_address else text, href=href)])


def _first(values: dict[str, list[ContentLine]], name: str) -> str:
    lines = values.get(name)
    return lines[0].text if lines else ""


def _time(text: str) -> str:
    found = _TIME.match(text)
    if found is None:
        return text
    date = f"{found[1]}-{found[2]}-{found[3]}"
    return f"{date} {found[4]}:{found[5]}{' UTC' if found[6] else ''}" if found[4] else date
