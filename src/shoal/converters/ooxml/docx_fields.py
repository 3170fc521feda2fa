"""Which text of a field does a reader see? Its result; the code before it only makes links.

A field of Word runs from `begin` by way of `separate` to `end` (ISO/IEC 29500-1, 17.16.18), over
paragraphs and with fields within. A code that never ends would hide all the text behind it, so it
is given up where its paragraph ends.
"""

import re
from dataclasses import dataclass, field

from shoal.converters.ooxml.ooxml import first
from shoal.converters.xml import Element, attribute, local

_MAX_CODE_CHARS = 4_000
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_SHOWN_IN_CODE = re.compile(r"\s*(?:MACROBUTTON|GOTOBUTTON)\s+\S+\s+(.*)", re.DOTALL)


@dataclass(slots=True)
class _Field:
    code: list[str] = field(default_factory=list)
    in_result: bool = False
    href: str = ""
    """Its own, or that of the field around it."""
    choice: str = ""
    """Of a list to choose from: what is chosen."""


class Fields:
    def __init__(self) -> None:
        self._open: list[_Field] = []
        self._codes = 0
        """Open fields whose code has not ended."""

    @property
    def hides(self) -> bool:
        """The text here is a code."""
        return self._codes > 0

    @property
    def href(self) -> str:
        return self._open[-1].href if self._open else ""

    def code(self, text: str) -> None:
        if self._open and not self._open[-1].in_result:
            self._open[-1].code.append(text[:_MAX_CODE_CHARS])

    def mark(self, element: Element) -> str:
        """Takes a `fldChar`; returns what a field without a result shows when it ends."""
        kind = attribute(element, "fldCharType")
        if kind == "begin":
            self._open.append(_Field(href=self.href, choice=_choice(element)))
            self._codes += 1
        elif not self._open:
            return ""
        elif kind == "separate" and not self._open[-1].in_result:
            top = self._open[-1]
            top.in_result = True
            top.href = href_of("".join(top.code)) or top.href
            self._codes -= 1
        elif kind == "end":
            ended = self._open.pop()
            if not ended.in_result:
                self._codes -= 1
                shown = _SHOWN_IN_CODE.match("".join(ended.code))
                text = ended.choice or (shown[1] if shown else "")
                return "" if self.hides else text
        return ""

    def end_paragraph(self) -> None:
        if self._codes:
            self._open = [each for each in self._open if each.in_result]
            self._codes = 0


def href_of(code: str) -> str:
    """Of a HYPERLINK field: `HYPERLINK "address" \\l "place"`."""
    words = [quoted or plain for quoted, plain in _WORD.findall(code[:_MAX_CODE_CHARS])]
    if not words or words[0].upper() != "HYPERLINK":
        return ""
    address, place, following = "", "", iter(words[1:])
    for word in following:
        if word.lower() == "\\l":
            place = next(following, "")
        elif word.lower() in ("\\o", "\\t"):
            next(following, "")
        elif not word.startswith("\\") and not address:
            address = word.replace("\\\\", "\\")
    return f"{address}#{place}" if place else address


def _choice(element: Element) -> str:
    held = first(element, "ffData", "ddList")
    if held is None:
        return ""
    entries = [attribute(each, "val") for each in held if local(each) == "listEntry"]
    chosen = first(held, "result")
    chosen = first(held, "default") if chosen is None else chosen
    value = attribute(chosen, "val") if chosen is not None else "0"
    place = int(value) if value.isdecimal() and len(value) < 6 else 0
    return entries[place] if place < len(entries) else ""
