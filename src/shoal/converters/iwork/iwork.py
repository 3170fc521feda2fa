"""What does a document of Apple's Pages, Numbers or Keynote say? Which of its two forms is it?

Up to '09 it is a zip with one XML file (`index.xml`, `index.apxl`, perhaps gzipped); since 2013 a
zip with many small files of Apple's own (`Index/*.iwa`, perhaps in an `Index.zip`).
"""

import plistlib
import zlib
from xml.parsers.expat import ExpatError

from shoal.converters.context import Context, Converted
from shoal.converters.iwork.iwa_document import write_objects
from shoal.converters.iwork.iwork09 import Document, describe
from shoal.converters.writer import Writer
from shoal.converters.xml import parse
from shoal.converters.zip import Package
from shoal.model.page import Page

_INDEXES = ("index.xml", "index.apxl", "index.xml.gz", "index.apxl.gz")
_PASSWORDS = (".iwpv", ".iwpv2", ".iwph")


def convert(body: bytes, context: Context) -> list[Converted]:
    package = Package(body, context.limits)
    if any(name.rpartition("/")[2] in _PASSWORDS for name in package.names):
        return [Converted(Page(), problem="encrypted")]
    for name in package.names:
        if name.rpartition("/")[2] in _INDEXES and name.count("/") < 2:
            return [_index(package, name, context)]
    files = _objects(package, context)
    if not files:
        problem = package.problem or "no index"
        return [Converted(Page(), problem=f"damaged: {problem}")]
    writer = Writer(context.limits)
    problem = write_objects(files, writer, context.limits)
    page = writer.page()
    _describe(page, package)
    return [Converted(page, problem=writer.problem or problem or package.problem)]


def _index(package: Package, name: str, context: Context) -> Converted:
    data = package.read(name)
    if data[:2] == b"\x1f\x8b":
        data = _gunzip(data, context.limits.member_bytes)
    root = parse(data)
    if root is None:
        return Converted(Page(), problem=f"damaged: {package.problem or name}")
    writer = Writer(context.limits)
    Document(root, writer).write()
    page = writer.page()
    describe(page, root)
    return Converted(page, problem=writer.problem or package.problem)


def _gunzip(data: bytes, most: int) -> bytes:
    stream = zlib.decompressobj(31)
    pieces: list[bytes] = []
    for start in range(0, len(data), 4096):
        try:
            pieces.append(stream.decompress(data[start : start + 4096], most))
        except zlib.error:
            break
        most -= len(pieces[-1])
        if most <= 0 or stream.eof:
            break
    return b"".join(pieces)


def _objects(package: Package, context: Context) -> dict[str, bytes]:
    """The `.iwa` files, by their names."""
    for name in package.names:
        if name.rpartition("/")[2] == "Index.zip":
            package = Package(package.read(name), context.limits)
            break
    names = [name for name in package.names if name.endswith(".iwa")]
    return {name: package.read(name) for name in names}


def _describe(page: Page, package: Package) -> None:
    """Since 2013 hardly anything is said: properties that tell nothing, and perhaps a language."""
    for name in package.names:
        if name.endswith("Metadata/Properties.plist"):
            try:
                properties = plistlib.loads(package.read(name))
            except (plistlib.InvalidFileException, ExpatError, ValueError, OverflowError):
                return
            if isinstance(properties, dict):
                page.author = str(properties.get("author", ""))
                page.keywords = str(properties.get("keywords", ""))
