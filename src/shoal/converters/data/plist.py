"""What does a property list say? Its keys and values, as those of JSON: XML, binary, OpenStep.

plistlib reads the binary form; the XML is read as all XML is; OpenStep's form is text and shown as
such. A .webloc is a property list of one URL.
"""

import datetime
import plistlib
from typing import Any

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted
from shoal.converters.data.json_text import Json, write_value
from shoal.converters.writer import Run, Writer
from shoal.converters.xml import Element, all_text, local, parse
from shoal.converters.xml_entities import mend
from shoal.model.page import Page

_DEEPEST = 60
_MOST_VALUES = 200_000
_FAULTS = (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError, MemoryError)


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    problem = ""
    if body.startswith(b"bplist"):
        try:
            page = _write(plistlib.loads(body, fmt=plistlib.FMT_BINARY), writer)
        except (*_FAULTS, plistlib.InvalidFileException) as error:
            page, problem = writer.page(), f"damaged: {str(error)[:80]}".rstrip(": ")
        return [Converted(page, problem=problem or writer.problem)]
    root = parse(mend(body))
    if root is not None and local(root) == "plist":
        return [Converted(write(root, writer), problem=writer.problem)]
    writer.preformatted(decode(body, context.charset).text)
    return [Converted(writer.page(), problem=writer.problem)]


def write(root: Element, writer: Writer) -> Page:
    children = [child for child in root if local(child)]
    return _write(_value(children[0], 0) if children else None, writer)


def _write(value: Any, writer: Writer) -> Page:
    if isinstance(value, dict) and isinstance(value.get("URL"), str) and len(value) <= 3:
        writer.paragraph([Run(value["URL"], href=value["URL"])])
        return writer.page()
    plain = _Plain().value(value, 0)
    write_value(plain, writer)
    names = ("title", "Title", "CFBundleName", "name", "Name")
    title = next((plain[key] for key in names if isinstance(plain, dict) and key in plain), "")
    return writer.page(title if isinstance(title, str) else "")


class _Plain:
    """Values as JSON has them. A binary list may name one object often: there is a bound."""

    def __init__(self) -> None:
        self._left = _MOST_VALUES

    def value(self, value: Any, depth: int) -> Json:
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return None
        if isinstance(value, dict):
            return {str(key): self.value(each, depth + 1) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(each, depth + 1) for each in value]
        if isinstance(value, datetime.datetime):
            return value.isoformat()
        return value if isinstance(value, str | int | float | bool) else None


def _value(element: Element, depth: int) -> Json:
    name, text = local(element), all_text(element).strip()
    if depth > _DEEPEST:
        return None
    if name == "dict":
        children = [child for child in element if local(child)]
        return {
            all_text(key).strip(): _value(value, depth + 1)
            for key, value in zip(children[::2], children[1::2], strict=False)
        }
    if name == "array":
        return [_value(child, depth + 1) for child in element]
    if name in ("true", "false"):
        return name == "true"
    return None if name == "data" else text
