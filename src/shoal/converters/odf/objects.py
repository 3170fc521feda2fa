"""What is embedded in an OpenDocument? Formulas and charts, which are part of what one sees, and
whole documents, which are documents of their own.

In a package an object is a folder (`Object 1/content.xml`) or, when another program made it, a
file; in a flat document it stands in the midst of the XML.
"""

import base64
import binascii
import io
import zipfile
from collections.abc import Iterator

from shoal.converters.odf.math import linear
from shoal.converters.xml import Element, attribute, local, named, parse
from shoal.converters.zip import Package

_MAX_OBJECTS = 500
_CONTROL_TEXTS = ("label", "current-value", "value")


class Objects:
    def __init__(self, package: Package | None, root: Element, types: dict[str, str]) -> None:
        """`types`: the media type of each member, by the manifest."""
        self._package = package
        self._types = types
        self._seen: set[str] = set()
        self._formulas: dict[str, str] = {}
        self._controls = _controls(root)
        self.shows_chart_data = True
        """A sheet has the numbers of its charts in its cells."""
        self.files: list[tuple[bytes, str, str]] = []
        """(data, name, media type) of what is a document of its own."""
        self.documents: list[Element] = []
        """(data, name, media type) of what is a document of its own in a flat document."""

    def formula(self, element: Element) -> str:
        """Of a frame in a line of text: the formula in it, if it holds one."""
        for holder in [element, *element]:
            if local(holder) == "object":
                root = _inner(holder)
                if root is not None:
                    return linear(root) if local(root) == "math" else ""
                return self._formula_at(_path(holder))
        return ""

    def _formula_at(self, path: str) -> str:
        if path not in self._formulas:
            kind = self._types.get(f"{path}/", "formula")
            text = ""
            if "formula" in kind or "math" in kind:
                root = self._content(path)
                text = linear(root) if root is not None and local(root) == "math" else ""
            self._formulas[path] = text
        return self._formulas[path]

    def shown(self, element: Element) -> Iterator[Element]:
        """What of an object is to be written where it stands. The rest goes to `files`."""
        root = _inner(element)
        if root is None:
            root = self._opened(element)
        elif local(root) == "document" and not _is_chart(root):
            self.documents.append(root)
        if root is None or not _is_chart(root):
            return
        yield from chart_parts(root, with_data=self.shows_chart_data)

    def _opened(self, element: Element) -> Element | None:
        """The root of a chart; whatever else it is, is put to the files."""
        path = _path(element)
        if self._package is None:
            data = _binary(element)
            if data and len(self.files) < _MAX_OBJECTS:
                self.files.append((data, path or f"object {len(self.files) + 1}", ""))
            return None
        if not path or path in self._seen or len(self._seen) >= _MAX_OBJECTS:
            return None
        self._seen.add(path)
        if path in self._package:
            self.files.append((self._package.read(path), path, self._types.get(path, "")))
            return None
        root = self._content(path)
        if root is None or _is_chart(root) or local(root) == "math":
            return root
        self.files.append((self._packed(path), path, self._types.get(f"{path}/", "")))
        return None

    def _content(self, path: str) -> Element | None:
        name = f"{path}/content.xml"
        if self._package is None or name not in self._package:
            return None
        return parse(self._package.read(name))

    def _packed(self, path: str) -> bytes:
        """The folder of an object as the package that it would be on its own."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("mimetype", self._types.get(f"{path}/", ""))
            if self._package is not None:
                for name in self._package.names:
                    if name.startswith(f"{path}/") and name.endswith(".xml"):
                        archive.writestr(name[len(path) + 1 :], self._package.read(name))
        return packed.getvalue()

    def control(self, element: Element) -> str:
        """The text of a form's field or button that is drawn here."""
        if local(element) != "control":
            return ""
        return self._controls.get(attribute(element, "control"), "")


def chart_parts(root: Element, *, with_data: bool) -> Iterator[Element]:
    """The titles of a chart and its axes, and its table."""
    *_, chart = [root, *named(root, "chart")]  # `chart:chart` within `office:chart`
    yield from named(chart, "title", "subtitle")
    if with_data:
        yield from (child for child in chart if local(child) == "table")


def _controls(root: Element) -> dict[str, str]:
    texts: dict[str, str] = {}
    for forms in named(root, "forms"):
        for each in forms.iter():
            identity = attribute(each, "id")
            if identity and local(each) != "hidden":
                found = (attribute(each, name) for name in _CONTROL_TEXTS)
                texts[identity] = next(filter(None, found), "")
    return texts


def _inner(element: Element) -> Element | None:
    return next((child for child in element if local(child) in ("document", "math")), None)


def _is_chart(root: Element) -> bool:
    body = next(named(root, "body"), None)
    if body is None:
        return False
    first = next((child for child in body if local(child)), None)
    return first is not None and local(first) == "chart"


def _path(element: Element) -> str:
    return attribute(element, "href").removeprefix("#").removeprefix("./").strip("/")


def _binary(element: Element) -> bytes:
    holder = next(named(element, "binary-data"), None)
    if holder is None or not holder.text:
        return b""
    try:
        return base64.b64decode(str(holder.text))
    except (binascii.Error, ValueError):
        return b""
