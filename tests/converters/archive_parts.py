"""Parts for the tests of mails and archives: a context that opens what lies inside, and hostile
variants of a file."""

import io
import random
import zipfile
from collections.abc import Callable, Iterator

from shoal.converters import text
from shoal.converters.archive import apple as archive_apple
from shoal.converters.archive import archive, packed, rar, sevenzip, tar
from shoal.converters.archive import chm as archive_chm
from shoal.converters.archive import disc as archive_disc
from shoal.converters.archive import unix as archive_unix
from shoal.converters.archive import web as archive_web
from shoal.converters.context import Context, Converted, Converter
from shoal.converters.limits import Limits
from shoal.converters.mail import mail, mbox, mhtml, tnef
from shoal.converters.mail import signed as mail_signed
from shoal.converters.sniff.text import text_kind
from shoal.model.record import changed
from tests.converters import parts

_MAGIC: tuple[tuple[bytes, Converter], ...] = (
    (b"PK\x03\x04", archive.convert_zip),
    (b"PK\x05\x06", archive.convert_zip),
    (b"7z\xbc\xaf\x27\x1c", sevenzip.convert),
    (b"Rar!\x1a\x07", rar.convert),
    (b"ITSF", archive_chm.convert),
    (b"MSCF", archive_disc.convert_cab),
    (b"!<arch>\n", archive_unix.convert_ar),
    (b"\xed\xab\xee\xdb", archive_unix.convert_rpm),
    (b"WARC/", archive_web.convert_warc),
    (b"filedesc:", archive_web.convert_arc),
    (b"\x00\x05\x16", archive_apple.convert),
    (b"\x78\x9f\x3e\x22", tnef.convert),
    *(
        (magic, archive_unix.convert_cpio)
        for magic in (b"070701", b"070702", b"070707", b"\xc7\x71", b"\x71\xc7")
    ),
    *(
        (magic, packed.convert)
        for magic in (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"\x1f\x9d", b"LZIP")
    ),
    *(
        (magic, packed.convert)
        for magic in (b"\x04\x22\x4d\x18", b"\xff\x06\x00\x00s", b"\x5d\0\0")
    ),
)


def zipped(*members: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in members:
            package.writestr(name, data)
    return file.getvalue()


def converter(body: bytes, name: str) -> Converter:
    """By what the converters say of themselves; the real choice is the registry's."""
    head = body[:20_000]
    for magic, convert in _MAGIC:
        if body.startswith(magic):
            return convert
    ending = name.lower().rpartition(".")[2]
    named: dict[str, Converter] = {
        "br": packed.convert,
        "zlib": packed.convert,
        "emlx": mail.convert_emlx,
        "p7m": mail_signed.convert,
    }
    if ending in named:
        return named[ending]
    if body[0x8001:0x8006] == b"CD001":
        return archive_disc.convert_iso
    if tar.is_tar(head):
        return tar.convert
    told: dict[str, Converter] = {
        "application/mbox": mbox.convert,
        "multipart/related": mhtml.convert,
        "message/rfc822": mail.convert,
    }
    return told.get(text_kind(head)) or (mail.convert if ending == "eml" else text.convert)


def opening(name: str, limits: Limits | None = None) -> Context:
    """A context for a file of this name, which opens documents inside as the reader does."""
    context = parts.context(f"https://reef.example/{name}", charset="", limits=limits)
    return changed(context, inside=_inside(context, 1))


def _inside(outer: Context, depth: int) -> Callable[..., list[Converted]]:
    def inside(data: bytes, name: str, declared: str = "") -> list[Converted]:
        if depth > outer.limits.depth:
            return []
        url = f"https://reef.example/{name}"
        context = changed(outer, url=url, inside=_inside(outer, depth + 1))
        chosen = mail.convert if declared == "message/rfc822" else converter(data, name)
        documents = chosen(data, context)
        for document in documents:
            document.name = f"{name}/{document.name}" if document.name else name
        return documents

    return inside


def read(body: bytes, name: str, limits: Limits | None = None) -> list[Converted]:
    return converter(body, name)(body, opening(name, limits))


def texts(documents: list[Converted]) -> str:
    return "\n".join(document.page.text for document in documents)


def damaged(body: bytes, flips: int = 100) -> Iterator[bytes]:
    """Cut at ten points, and with some bytes changed: the same ones in every run."""
    for tenth in range(10):
        yield body[: len(body) * tenth // 10]
    chance = random.Random(len(body))
    for _ in range(flips):
        changed = bytearray(body)
        for _ in range(chance.randint(1, 8)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        yield bytes(changed)
